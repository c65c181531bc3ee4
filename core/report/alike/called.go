package alike

import (
	"fmt"
	"slices"
	"strings"

	"macpro/core/config"
	"macpro/core/names"
	"macpro/core/report/read"
	"macpro/core/report/spec"
)

// Called says how a run is named among others.
type Called struct {
	// Label is what it has in common with other seeds: method, ablation, and the
	// environment, learner and keys in which it differs from other runs.
	Label string
	Seed  int64
}

// Text is the label with the seed.
func (c Called) Text() string { return fmt.Sprintf("%s, seed %d", c.Label, c.Seed) }

// Names says of every run what tells it from the others. Runs that nothing but
// their time tells apart have the same name.
func Names(lib *spec.Library, runs []*read.Summary) map[*read.Summary]Called {
	out := map[*read.Summary]Called{}
	several := func(of func(*read.Summary) string) bool {
		return slices.ContainsFunc(runs, func(s *read.Summary) bool { return of(s) != of(runs[0]) })
	}
	envs := several(func(s *read.Summary) string { return s.Env })
	learners := several(func(s *read.Summary) string { return s.Learner })
	sequences := several(func(s *read.Summary) string { return s.Env + s.Sequence })
	ways := map[string][]*read.Summary{}
	for _, s := range runs {
		ways[Way(s)] = append(ways[Way(s)], s)
	}
	for _, s := range runs {
		parts := []string{lib.MethodLabel(s.Alg)}
		if s.Ablation != "" && s.Ablation != "none" {
			parts = append(parts, lib.ValueLabel("ablation", s.Ablation))
		}
		if envs {
			parts = append(parts, lib.EnvLabel(s.Env))
		}
		if learners {
			parts = append(parts, lib.LearnerLabel(s.Learner))
		}
		if sequences && s.Sequence != "train" {
			parts = append(parts, s.Sequence)
		}
		if of := fewer(s, ways[Way(s)]); of != "" {
			parts = append(parts, "only "+of)
		}
		parts = append(parts, changed(s, ways[Way(s)], runs)...)
		out[s] = Called{strings.Join(parts, ", "), s.Seed}
	}
	return out
}

// fewer is the tasks of a run if others of the same plugins have a longer list.
func fewer(s *read.Summary, alike []*read.Summary) string {
	tasks := func(s *read.Summary) string { return strings.Trim(s.Settings["tasks"], "[]") }
	for _, o := range alike {
		if strings.Count(tasks(o), ",") > strings.Count(tasks(s), ",") {
			return tasks(s)
		}
	}
	return ""
}

// changed lists key=value of what differs among runs of the same plugins, and of
// what the user changed in this run but not in all.
func changed(s *read.Summary, alike, all []*read.Summary) []string {
	keys := Varied(alike)
	for _, key := range s.Overridden {
		if slices.ContainsFunc(all, func(o *read.Summary) bool { return o.Settings[key] != s.Settings[key] }) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	var out []string
	for _, key := range slices.Compact(keys) {
		if v, ok := s.Value(key); ok && (config.Overridable(key) || key == "profile" || key == "compat") {
			out = append(out, key+"="+names.Brief(v))
		}
	}
	return out
}
