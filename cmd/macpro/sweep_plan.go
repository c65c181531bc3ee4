package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"macpro/configs"
	"macpro/core/config"
	"macpro/core/files"
	"macpro/core/names"
	"macpro/core/store"
	"macpro/core/sweep"
)

// plan turns flags and an experiment into cells; every error is the caller's.
func (f *sweepFlags) plan(experiment string) (sweep.Plan, []sweep.Resolved, error) {
	p := sweep.Plan{Created: time.Now().UTC().Truncate(time.Second), Source: "command line", Profile: f.profile,
		Argv: os.Args, Executor: f.execution.executor, Search: f.search}
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
		p.ID = strings.TrimSuffix(filepath.Base(experiment), filepath.Ext(experiment)) + "-" + f.profile
	}
	if p.ID != "" {
		if err := sweep.CheckName(p.ID); err != nil {
			return p, nil, err
		}
	}
	points, err := spec.Expand(p.Search)
	if err != nil {
		return p, nil, err
	}
	cells, left, err := sweep.Resolve(points, spec.Seeds, newCellResolver(spec.Evaluate), foreignKeys)
	f.left = left
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
	spec.Seeds = []int64{1}
	if experiment != "" {
		data, err := readExperiment(experiment)
		if err != nil {
			return spec, err
		}
		p.Source = experiment
		if spec, err = sweep.Parse(experiment, data, f.profile, f.seeds); err != nil {
			return spec, err
		}
	} else if f.seeds != "" {
		if spec.Seeds, err = sweep.ParseSeeds(f.seeds); err != nil {
			return spec, err
		}
	}
	if err := spec.Override([]string{"profile=" + f.profile}); err != nil {
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

// readExperiment finds a built-in experiment, or else a file.
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

// newCellResolver resolves settings as macpro run does. Runs of one group have
// the same tasks, so that only its first is built to see whether its parts fit and
// whether its networks can be evaluated.
// A cell keeps the states of its external plugins: when they change it fails, and
// the results of a sweep are not mixed.
func newCellResolver(evaluate []sweep.Evaluate) sweep.Resolver {
	known := map[string]sweep.Cell{}
	return func(sets []string) (r sweep.Resolved, err error) {
		user := config.User{Sets: sets, Environ: keysOf(os.Environ())}
		x, err := resolve(user)
		if err != nil {
			return r, err
		}
		r.Cell = known[x.config.GroupHash()]
		if r.GroupHash == "" {
			if r.Cell, err = cellOf(x, user, evaluate); err != nil {
				return r, err
			}
			known[r.GroupHash] = r.Cell
		}
		if set := pinned(r.Plugins); set != "" {
			user.Sets = append(slices.Clone(sets), set)
			if x, err = resolve(user); err != nil {
				return r, err
			}
		}
		r.Config = x.config.YAML()
		r.ConfigHash = x.config.Hash()
		return r, nil
	}
}

// cellOf describes a configuration apart from its seed.
func cellOf(x *experiment, user config.User, evaluate []sweep.Evaluate) (sweep.Cell, error) {
	s, err := x.open(output{})
	if err != nil {
		return sweep.Cell{}, err
	}
	tests, err := evaluationEpisodes(user, s, evaluate)
	if err != nil {
		return sweep.Cell{}, errors.Join(err, s.runner.Close())
	}
	m := s.manifest()
	c := sweep.Cell{GroupHash: m.GroupHash, EnvHash: m.EnvHash, Alg: m.Alg, Env: m.Env, Learner: m.Learner, Ablation: m.Ablation,
		Steps: s.runner.Config().StepsPerTask * int64(len(s.runner.Tasks())), Tests: tests}
	for _, p := range m.Versions.Plugins {
		if p.Hash != "" {
			c.Plugins = append(c.Plugins, p)
		}
	}
	return c, s.runner.Close()
}

// pinned is the key that keeps external plugins in their state, "" for none.
func pinned(plugins []store.PluginVersion) string {
	var list []string
	for _, p := range plugins {
		list = append(list, p.Kind+"/"+p.Name+"="+p.Hash)
	}
	if list == nil {
		return ""
	}
	return "plugins.sha256=[" + strings.Join(list, ",") + "]"
}
