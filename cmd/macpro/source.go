package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"macpro/configs"
	"macpro/core/config"
	"macpro/core/names"
	"macpro/core/report/format"
	"macpro/core/report/read"
	"macpro/core/report/spec"
	"macpro/core/report/tables"
	"macpro/core/store"
	"macpro/core/sweep"
	"macpro/registry/experiment"
	"macpro/results"
)

// sourceFlags say which runs a table, a figure or a report is made of.
type sourceFlags struct {
	out     string
	sweeps  []string
	from    string
	where   []string
	env     string
	learner string
	keys    []string
	stats   string
	mix     bool
}

func (f *sourceFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.choose(fs)
	fs.StringVar(&f.from, "from", "", "folder of run summaries to use instead of runs")
	fs.StringVar(&f.env, "env", "", "one environment instead of all")
	fs.StringVar(&f.learner, "learner", "", "learner of comparisons of methods (default that of all runs, or qmix)")
	fs.StringArrayVar(&f.keys, "key", nil, "key of sensitivity; may be repeated (default those of the paper)")
	fs.StringVar(&f.stats, "stats", "mean", "mean: mean and standard deviation; iqm: interquartile mean with bootstrap intervals")
	fs.BoolVar(&f.mix, "mix", false, "allow runs that differ in more than the seed, and say so")
}

// choose adds the flags that choose among recorded runs.
func (f *sourceFlags) choose(fs *pflag.FlagSet) {
	fs.StringVar(&f.out, "out", "results", "folder of the results")
	fs.StringArrayVar(&f.sweeps, "sweep", nil, "take the runs of this sweep only; may be repeated")
	fs.StringArrayVar(&f.where, "where", nil, "take runs with key=value only, such as profile=reduced; may be repeated")
}

// load reads the runs; runs names some of them, or none for all.
func (f *sourceFlags) load(warn io.Writer, runs []string) (*read.Set, error) {
	set, err := f.read(runs)
	if err != nil {
		return nil, err
	}
	if set, err = set.Where(f.where); err != nil {
		return nil, usage(err)
	}
	if f.from != "" && len(runs) > 0 {
		return nil, usage(fmt.Errorf("--from reads all summaries of a folder; RUN names recorded runs"))
	}
	for _, w := range set.Warnings {
		fmt.Fprintln(warn, "warning:", names.Plain(w))
	}
	for _, key := range f.keys {
		if len(set.Runs) > 0 && !slices.ContainsFunc(set.Runs, func(s *read.Summary) bool { _, has := s.Value(key); return has }) {
			return nil, usage(fmt.Errorf("--key %s: %w", key, unknownKey(set.Runs, key)))
		}
	}
	if err := some("env", f.env, set.Runs, func(s *read.Summary) string { return s.Env }); err != nil {
		return nil, err
	}
	return set, some("learner", f.learner, set.Runs, func(s *read.Summary) string { return s.Learner })
}

// unknownKey is the error for a key that no run has.
func unknownKey(runs []*read.Summary, key string) error {
	known := map[string]bool{}
	for _, s := range runs {
		for k := range s.Settings {
			known[k] = true
		}
	}
	if near := names.Nearest(key, slices.Sorted(maps.Keys(known))); near != "" {
		return fmt.Errorf("no run has this key, did you mean %q?", near)
	}
	return errors.New("no run has this key")
}

// empty says where there are no runs.
func (f *sourceFlags) empty() string {
	switch {
	case f.from != "":
		return "no summary of a run is in " + f.from
	case len(f.sweeps) > 0:
		return "no cell of the sweep has begun"
	}
	return "there are no runs in " + f.out
}

// some refuses the value of a flag that none of the runs has.
func some(flag, value string, runs []*read.Summary, of func(*read.Summary) string) error {
	known := map[string]bool{}
	for _, s := range runs {
		known[of(s)] = true
	}
	if value == "" || len(known) == 0 || known[value] {
		return nil
	}
	return usage(fmt.Errorf("--%s %s: no run has it, the runs have %s", flag, value, strings.Join(slices.Sorted(maps.Keys(known)), ", ")))
}

func (f *sourceFlags) read(runs []string) (*read.Set, error) {
	if f.from != "" {
		set, err := read.LoadSummaries(store.OS(), f.from)
		return set, usage(err)
	}
	var keep func(*store.Record) bool
	var named []string
	if len(f.sweeps) > 0 || len(runs) > 0 {
		ids, dirs, err := f.chosen(runs)
		if err != nil {
			return nil, err
		}
		named = dirs
		keep = func(rec *store.Record) bool { return ids[rec.Manifest.ID] }
	}
	set, err := read.Load(store.OS(), f.out, keep, named...)
	if err == nil {
		compareWithProfiles(set.Runs)
	}
	return set, err
}

// chosen lists the ids of the named runs and of the runs of the sweeps' cells, and
// the folders of the named runs.
func (f *sourceFlags) chosen(runs []string) (ids map[string]bool, dirs []string, err error) {
	ids = map[string]bool{}
	for _, run := range runs {
		rec, err := findRun(f.out, run)
		if err != nil {
			return nil, nil, err
		}
		ids[rec.Manifest.ID], dirs = true, append(dirs, rec.Dir)
	}
	for _, id := range f.sweeps {
		s, err := sweep.Find(store.OS(), f.out, id)
		if err != nil {
			return nil, nil, usage(err)
		}
		for _, c := range s.Cells {
			if st := s.State(c); st.Run != "" {
				ids[st.Run] = true
			}
		}
	}
	return ids, dirs, nil
}

func (f *sourceFlags) options() (tables.Options, error) {
	o := tables.Options{Library: library(), Stats: f.stats, Env: f.env, Learner: f.learner, Keys: f.keys, Mix: f.mix}
	if known := []string{format.StatsMean, format.StatsIQM}; !slices.Contains(known, f.stats) {
		return o, usage(names.Unknown("statistics", f.stats, known))
	}
	return o, nil
}

// compareWithProfiles finds the overridden keys of runs that did not note them:
// those with another value than their profile gives today.
func compareWithProfiles(runs []*read.Summary) {
	known := usual{}
	for _, s := range runs {
		if s.Overridden != nil {
			continue
		}
		for key, v := range known.of(s) {
			if now, has := s.Settings[key]; has && config.Overridable(key) && now != v {
				s.Overridden = append(s.Overridden, key)
			}
		}
		slices.Sort(s.Overridden)
	}
}

// usual are the settings of runs that set no key, by their plugins and overlays.
type usual map[string]map[string]string

// of are those of a run's plugins and overlays, nil if they are not here.
func (u usual) of(s *read.Summary) map[string]string {
	choices := map[string]string{}
	for _, key := range []string{"env", "alg", "learner", "profile", "compat", "ablation"} {
		choices[key] = s.Settings[key]
	}
	name := fmt.Sprint(choices)
	if _, done := u[name]; !done {
		u[name] = nil
		if x, err := experiment.Resolve(config.User{Flags: choices}); err == nil {
			if c, err := config.ReadRecorded("config.yaml", x.Config.YAML()); err == nil {
				u[name] = c.Values
			}
		}
	}
	return u[name]
}

// library holds the built-in tables and figures.
var library = sync.OnceValue(func() *spec.Library {
	lib, err := spec.Open(configs.FS, results.Paper)
	if err != nil {
		panic(err) // the files are part of the binary
	}
	return lib
})
