// Package alike says what runs have in common: whether they may be averaged or
// compared, in which keys they differ, and how to name each of them among the others.
package alike

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

// Error says that runs would be averaged or compared that differ in more than they may.
type Error struct {
	Reasons []string
	// Grid says that only settings differ, within one method and learner each.
	Grid bool
}

// Error lists the reasons, one a line.
func (e *Error) Error() string {
	return "these runs must not be mixed:\n  " + strings.Join(e.Reasons, "\n  ")
}

// Difference is why runs must not be mixed. The zero Difference is none.
type Difference struct {
	Reason   string
	Settings bool // within one method and learner they have other settings
}

// Refuse is the *Error for some differences.
func Refuse(all []Difference) error {
	e := &Error{Grid: true}
	for _, d := range all {
		e.Reasons = append(e.Reasons, d.Reason)
		e.Grid = e.Grid && d.Settings
	}
	return e
}

// Averaged checks that runs differ in nothing but the seed. The reason names the
// keys in which they do.
func Averaged(label string, runs []*read.Summary) Difference {
	for _, s := range runs[1:] {
		if s.GroupHash != runs[0].GroupHash {
			return Difference{fmt.Sprintf("%s: %s", label, contrast(runs[0], s)), Family(s) == Family(runs[0])}
		}
	}
	seeds := map[int64]string{}
	for _, s := range runs {
		if other, twice := seeds[s.Seed]; twice {
			return Difference{Reason: fmt.Sprintf("%s: runs %s and %s have the same seed %d", label, other, s.ID, s.Seed)}
		}
		seeds[s.Seed] = s.ID
	}
	return Difference{}
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

// Compared lists in what the runs of one table disagree although all of them
// must agree: profile, compat and version of the program, for each environment
// the constants of its tasks, and the state of every plugin.
func Compared(runs []*read.Summary) []Difference {
	var out []Difference
	agree := func(what string, of func(*read.Summary) string, among []*read.Summary) {
		for _, s := range among {
			if of(s) != of(among[0]) {
				out = append(out, Difference{Reason: fmt.Sprintf("%s: %s has %s, %s has %s", what, among[0].ID, of(among[0]), s.ID, of(s))})
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
		out = append(out, pluginsAgree(kind, runs)...)
	}
	return out
}

// pluginsAgree checks that every plugin of a kind is in one state throughout. A
// run that does not tell the state of a plugin agrees with all.
func pluginsAgree(kind string, runs []*read.Summary) []Difference {
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
	var out []Difference
	for _, name := range slices.Sorted(maps.Keys(first)) {
		states := slices.Sorted(maps.Keys(first[name]))
		if len(states) < 2 {
			continue
		}
		var parts []string
		for _, state := range states {
			parts = append(parts, fmt.Sprintf("%s with %s", first[name][state].ID, state))
		}
		out = append(out, Difference{Reason: fmt.Sprintf("%s %s has changed: %s", kind, name, strings.Join(parts, ", "))})
	}
	return out
}

// stateOf is the version of a plugin and, if it has files of its own, their
// SHA-256.
func stateOf(p store.PluginVersion) string {
	if p.Hash == "" {
		return "version " + p.Version + ", built in"
	}
	return "version " + p.Version + ", sha256 " + format.Short(p.Hash)
}

// Family is what runs have in common that differ in nothing but settings.
func Family(s *read.Summary) string { return Way(s) + " " + strings.Join(s.Tasks, ",") }

// Way is the plugins of a run and the name of its sequence.
func Way(s *read.Summary) string {
	return strings.Join([]string{s.Alg, s.Env, s.Learner, s.Ablation, s.Sequence}, " ")
}

// Varied lists the keys, apart from the seed, in which runs differ, sorted. A key that
// older runs of a configuration do not have does not tell them apart.
func Varied(runs []*read.Summary) []string {
	var keys []string
	for _, s := range runs[1:] {
		if s.GroupHash != runs[0].GroupHash {
			keys = append(keys, runs[0].Apart(s)...)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
