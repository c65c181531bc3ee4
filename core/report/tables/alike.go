package tables

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"macpro/core/names"
	"macpro/core/report/format"
	"macpro/core/report/read"
	"macpro/core/store"
)

// UnlikeError says that runs would be averaged or compared that differ in more
// than they may.
type UnlikeError struct {
	Reasons []string
	// Grid says that only settings differ, within one method and learner each.
	Grid bool
}

// Error lists the reasons, one a line.
func (e *UnlikeError) Error() string {
	return "these runs must not be mixed:\n  " + strings.Join(e.Reasons, "\n  ")
}

// difference is why runs must not be mixed.
type difference struct {
	reason   string
	settings bool // they have other settings
}

// oneGroup checks that runs differ in nothing but the seed; the reason names
// the keys in which they do.
func oneGroup(label string, runs []*read.Summary) difference {
	for _, s := range runs[1:] {
		if s.GroupHash != runs[0].GroupHash {
			return difference{fmt.Sprintf("%s: %s", label, contrast(runs[0], s)), familyOf(s) == familyOf(runs[0])}
		}
	}
	seeds := map[int64]string{}
	for _, s := range runs {
		if other, twice := seeds[s.Seed]; twice {
			return difference{reason: fmt.Sprintf("%s: runs %s and %s have the same seed %d", label, other, s.ID, s.Seed)}
		}
		seeds[s.Seed] = s.ID
	}
	return difference{}
}

// contrast says in what two runs differ. Their order follows from the values and
// not from the runs' names, which end at random.
func contrast(a, b *read.Summary) string {
	how, back := differing(a, b), differing(b, a)
	if back < how {
		a, b, how = b, a, back
	}
	return fmt.Sprintf("runs %s and %s differ in %s", a.ID, b.ID, how)
}

// differing lists the keys of two runs with other values, at most five.
func differing(a, b *read.Summary) string {
	var out []string
	for _, k := range a.Apart(b) {
		if len(out) == 5 {
			return strings.Join(out, ", ") + ", ..."
		}
		x, inA := a.Value(k)
		y, inB := b.Value(k)
		out = append(out, fmt.Sprintf("%s (%s and %s)", k, orNone(x, inA), orNone(y, inB)))
	}
	if len(out) == 0 {
		return "settings that the program's version gives another meaning"
	}
	return strings.Join(out, ", ")
}

func orNone(v string, ok bool) string {
	if !ok {
		return "absent"
	}
	return names.Brief(v)
}

// unlike lists in what the runs of one table disagree although all of them
// must agree: profile, compat and version of the program, for each environment
// the constants of its tasks, and the state of every plugin.
func unlike(runs []*read.Summary) []string {
	var reasons []string
	agree := func(what string, of func(*read.Summary) string, among []*read.Summary) {
		for _, s := range among {
			if of(s) != of(among[0]) {
				reasons = append(reasons, fmt.Sprintf("%s: %s has %s, %s has %s", what, among[0].ID, of(among[0]), s.ID, of(s)))
				return
			}
		}
	}
	if len(runs) == 0 {
		return nil
	}
	agree("profile", (*read.Summary).Profile, runs)
	agree("compat", (*read.Summary).Compat, runs)
	agree("version of macpro", func(s *read.Summary) string { return s.Versions.Macpro }, runs)
	same := map[string][]*read.Summary{} // runs of the same tasks
	for _, s := range runs {
		key := s.Env + " (" + strings.Join(s.Tasks, ", ") + ")"
		same[key] = append(same[key], s)
	}
	for _, key := range slices.Sorted(maps.Keys(same)) {
		agree("constants of the tasks of "+key, func(s *read.Summary) string { return format.Short(s.EnvHash) }, same[key])
	}
	for _, kind := range []string{"env", "method", "learner", "ablation"} {
		reasons = append(reasons, pluginsAgree(kind, runs)...)
	}
	return reasons
}

// pluginsAgree checks that every plugin of a kind is in one state throughout. A
// run that does not tell the state of a plugin agrees with all.
func pluginsAgree(kind string, runs []*read.Summary) []string {
	first := map[string]map[string]*read.Summary{} // by name and state
	for _, s := range runs {
		for _, p := range s.Versions.Plugins {
			if p.Kind != kind {
				continue
			}
			if first[p.Name] == nil {
				first[p.Name] = map[string]*read.Summary{}
			}
			if state := stateOf(p); first[p.Name][state] == nil {
				first[p.Name][state] = s
			}
		}
	}
	var reasons []string
	for _, name := range slices.Sorted(maps.Keys(first)) {
		states := slices.Sorted(maps.Keys(first[name]))
		if len(states) < 2 {
			continue
		}
		var parts []string
		for _, state := range states {
			parts = append(parts, fmt.Sprintf("%s with %s", first[name][state].ID, state))
		}
		reasons = append(reasons, fmt.Sprintf("%s %s has changed: %s", kind, name, strings.Join(parts, ", ")))
	}
	return reasons
}

// stateOf is the version of a plugin and, if it has files of its own, their
// SHA-256.
func stateOf(p store.PluginVersion) string {
	if p.Hash == "" {
		return "version " + p.Version + ", built in"
	}
	return "version " + p.Version + ", sha256 " + format.Short(p.Hash)
}
