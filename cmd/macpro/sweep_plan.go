package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/files"
	"macpro/core/names"
	"macpro/core/sweep"
	"macpro/registry"
	"macpro/registry/experiment"
)

// plan turns flags and an experiment into cells; every error is the caller's.
func (f *sweepFlags) plan(experiment string) (sweep.Plan, []sweep.Resolved, error) {
	p := sweep.Plan{Created: time.Now().UTC().Truncate(time.Second), Source: "command line",
		Argv: os.Args, Execution: f.execution.Execution, Search: f.search}
	p.Search.Seed = uint64(f.searchSeed)
	if err := checkSearch(p.Search); err != nil {
		return p, nil, err
	}
	spec, err := f.spec(experiment, &p)
	if err != nil {
		return p, nil, err
	}
	p.Evaluate = spec.Evaluate
	if p.ID = f.name; p.ID == "" && experiment != "" {
		p.ID = strings.TrimSuffix(filepath.Base(experiment), filepath.Ext(experiment)) + "-" + p.Profile
	}
	if p.ID != "" {
		if err := sweep.CheckName(p.ID); err != nil {
			return p, nil, err
		}
	}
	if err := checkRanges(&spec); err != nil {
		return p, nil, err
	}
	points, idle, err := spec.Expand(p.Search)
	if err != nil {
		return p, nil, err
	}
	planner := newPlanner(f.out, spec.Evaluate)
	planner.written = f.origins(experiment, &spec)
	cells, left, err := sweep.Resolve(points, spec.Seeds, sweep.Planner{Resolve: planner.resolve, Foreign: planner.foreign, Progress: f.slow.show("planning")})
	if err != nil {
		return p, nil, err
	}
	notes, err := planner.notes()
	f.left = left
	f.notes = slices.Concat(unheard(&spec), idle, notes)
	if p.ID == "" {
		p.ID = ownName(p, cells)
	}
	return p, cells, err
}

// ownName names a sweep that has no experiment and no --name after what it
// consists of, so that the same command finds the same sweep again.
func ownName(p sweep.Plan, cells []sweep.Resolved) string {
	h := sha256.New()
	for _, c := range cells {
		fmt.Fprintln(h, c.ID)
	}
	return fmt.Sprintf("%s-%s-%x", p.Search.Strategy, p.Profile, h.Sum(nil)[:3])
}

func checkSearch(s sweep.Search) error {
	switch {
	case !slices.Contains(sweep.Strategies, s.Strategy):
		return names.Unknown("strategy", s.Strategy, sweep.Strategies)
	case s.Strategy != "grid" && s.Trials < 1:
		return fmt.Errorf("--trials %d: want at least 1", s.Trials)
	case s.Adaptive() && s.Eta < 2:
		return fmt.Errorf("--eta %d: want at least 2", s.Eta)
	case s.Adaptive() && s.First < 1:
		return fmt.Errorf("--first-rung %d: want at least 1", s.First)
	}
	return nil
}

// spec reads the experiment and applies the flags to it.
func (f *sweepFlags) spec(experiment string, p *sweep.Plan) (spec sweep.Spec, err error) {
	spec.Seeds, spec.Profile = []int64{1}, cmp.Or(f.profile, sweep.DefaultProfile)
	if experiment != "" {
		data, err := readExperiment(experiment)
		if err != nil {
			return spec, err
		}
		p.Source = experiment
		if spec, err = sweep.Parse(experiment, data, f.profile, f.seeds); err != nil {
			return spec, err
		}
		for key, all := range map[string][]string{"env": registry.Envs.Names(), "alg": registry.Methods.Names(), "learner": registry.Learners.Names()} {
			spec.Every(key, all)
		}
	} else if f.seeds != "" {
		if spec.Seeds, err = sweep.ParseSeeds(f.seeds); err != nil {
			return spec, err
		}
	}
	p.Profile = spec.Profile
	if err := spec.Override([]string{"profile=" + p.Profile}); err != nil {
		return spec, err
	}
	for _, key := range axisFlags {
		if v := *f.keys[key]; v != "" {
			if err := spec.Choose(key, strings.Split(v, ",")); err != nil {
				return spec, err
			}
		}
	}
	for _, g := range f.grid {
		axis, err := sweep.ParseAxis(g)
		if err != nil {
			return spec, err
		}
		if axis.Key == "seed" {
			if f.seeds != "" {
				return spec, fmt.Errorf("--grid %s: the seeds are listed already, as %s", g, f.seeds)
			}
			f.seeds = strings.Join(axis.Values, ",")
		}
		if err := spec.Vary(axis); err != nil {
			return spec, err
		}
	}
	for _, set := range f.sets {
		key, _, _ := strings.Cut(set, "=")
		if v := f.keys[key]; v != nil && *v != "" {
			return spec, fmt.Errorf("--set %s: --%s %s is there, too", set, key, *v)
		}
	}
	return spec, spec.Override(f.sets)
}

// origins says, by key, what the user wrote for it, if not --set.
func (f *sweepFlags) origins(experiment string, spec *sweep.Spec) map[string]string {
	out := map[string]string{}
	for _, kv := range spec.Fixed {
		out[keyOf(kv)] = experiment
	}
	for _, g := range spec.Grids {
		for _, a := range g {
			out[a.Key] = experiment
		}
	}
	for _, g := range f.grid {
		out[keyOf(g)] = "--grid " + g
	}
	for _, set := range f.sets {
		out[keyOf(set)] = "--set " + set
	}
	maps.Copy(out, f.written)
	for key, v := range f.keys {
		if *v != "" {
			out[key] = "--" + key + " " + *v
		}
	}
	if f.profile != "" {
		out["profile"] = "--profile " + f.profile
	}
	maps.DeleteFunc(out, func(_, source string) bool { return source == "" })
	return out
}

func readExperiment(name string) ([]byte, error) {
	known := configs.Names("sweeps")
	if slices.Contains(known, name) {
		return configs.Read("sweeps/" + name + ".yaml"), nil
	}
	data, err := files.Read(name)
	if errors.Is(err, fs.ErrNotExist) && filepath.Ext(name) == "" {
		return nil, names.Unknown("experiment", name, known)
	}
	if err != nil {
		return nil, fmt.Errorf("the experiment cannot be read: %w", err)
	}
	return data, nil
}

// checkRanges refuses ranges whose numbers the key cannot have, before any is
// drawn.
func checkRanges(spec *sweep.Spec) error {
	kind := map[string]core.Kind{}
	for _, k := range experiment.Kinds() {
		for _, p := range k.Plugins {
			for _, f := range p.Schema {
				kind[f.Key] = f.Kind
			}
		}
	}
	for _, f := range experiment.SharedFields() {
		kind[f.Key] = f.Kind
	}
	for _, a := range spec.Ranges() {
		switch k, known := kind[a.Key]; {
		case k == core.Int && !a.Draw.Int:
			whole := sweep.Distribution{Low: math.Ceil(a.Draw.Low), High: math.Floor(a.Draw.High), Log: a.Draw.Log, Int: true}
			return fmt.Errorf("%s=%v: %s is a whole number, and this range has others, too: draw from %v", a.Key, a.Draw, a.Key, &whole)
		case known && k != core.Int && k != core.Float:
			return fmt.Errorf("%s=%v: %s is no number: list its values, as in %s=choice(a,b)", a.Key, a.Draw, a.Key, a.Key)
		}
	}
	return nil
}

// unheard names the environment variables that the sweep's own settings override.
func unheard(spec *sweep.Spec) (notes []string) {
	for _, kv := range keysOf(os.Environ()) {
		name, value, _ := strings.Cut(kv, "=")
		word, ours := strings.CutPrefix(name, config.Prefix)
		if !ours {
			continue
		}
		key := strings.ToLower(strings.ReplaceAll(word, "__", "."))
		switch {
		case key == "seed":
			notes = append(notes, fmt.Sprintf("%s=%s has no effect: a sweep lists its seeds with --seeds, such as --seeds %s", name, value, value))
		case spec.Has(key):
			notes = append(notes, fmt.Sprintf("%s=%s has no effect: the sweep sets %s itself", name, value, key))
		}
	}
	return notes
}

// notSweepVerb answers what is more like a verb of sweep than like an experiment.
func notSweepVerb(cmd *cobra.Command, name string) error {
	var verbs []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			verbs = append(verbs, c.Name())
		}
	}
	known := configs.Names("sweeps")
	if slices.Contains(known, name) || !slices.Contains(verbs, names.Nearest(name, slices.Concat(known, verbs))) {
		return nil
	}
	if _, err := os.Stat(name); err == nil || filepath.Ext(name) != "" {
		return nil // a file
	}
	return usage(names.Unknown("verb of sweep", name, verbs))
}
