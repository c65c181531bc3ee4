package read

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"macpro/core/config"
)

// Value is the value of a key as YAML text, and whether the run has the key. A run
// from before the key existed has its neutral value if a newer run of the set with
// the same plugins tells it.
func (s *Summary) Value(key string) (string, bool) {
	v, ok := s.Settings[key]
	if !ok {
		v, ok = s.neutral[key]
	}
	return v, ok
}

// fill gives older runs the neutral values of keys that came later.
func (set *Set) fill() {
	type owner struct{ alg, env, learner string }
	neutral := map[owner]map[string]string{}
	for _, s := range set.Runs {
		o := owner{s.Alg, s.Env, s.Learner}
		if neutral[o] == nil {
			neutral[o] = map[string]string{}
		}
		for _, key := range s.Unhashed {
			if v, ok := s.Settings[key]; ok {
				neutral[o][key] = v
			}
		}
		s.neutral = neutral[o]
	}
}

// keys lists the keys of the run and those that came later.
func (s *Summary) keys() []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(s.Settings)), maps.Keys(s.neutral))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Without is the configuration without the seed and one key, in one text.
func (s *Summary) Without(key string) string {
	var b strings.Builder
	for _, k := range s.keys() {
		if k != key && k != "seed" && config.Counts(k) {
			v, _ := s.Value(k)
			fmt.Fprintf(&b, "%s=%s\n", k, v)
		}
	}
	return b.String()
}

// Apart lists the keys, apart from the seed, that have other values in two runs or
// that one of them lacks.
func (s *Summary) Apart(other *Summary) []string {
	var keys []string
	for _, pair := range [][2]*Summary{{s, other}, {other, s}} {
		for _, k := range pair[0].keys() {
			v, _ := pair[0].Value(k)
			if w, ok := pair[1].Value(k); (!ok || v != w) && k != "seed" && config.Counts(k) {
				keys = append(keys, k)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Values lists the different values of a key among runs that have it, sorted.
func Values(runs []*Summary, key string) []string {
	var values []string
	for _, s := range runs {
		if v, ok := s.Value(key); ok {
			values = append(values, v)
		}
	}
	SortValues(values)
	return slices.Compact(values)
}

// SortValues sorts numbers by size and anything else by its letters.
func SortValues(values []string) { slices.SortFunc(values, CompareValues) }

// CompareValues is the order of SortValues.
func CompareValues(a, b string) int {
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	if errA == nil && errB == nil && x != y {
		if x < y {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}
