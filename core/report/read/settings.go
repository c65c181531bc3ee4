package read

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"macpro/core/config"
)

// Without is the configuration without the seed and one key, in one text.
func (s *Summary) Without(key string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(s.Settings)) {
		if k != key && k != "seed" && config.Counts(k) {
			fmt.Fprintf(&b, "%s=%s\n", k, s.Settings[k])
		}
	}
	return b.String()
}

// Apart lists the keys, apart from the seed, that have other values in two runs or
// that one of them lacks.
func (s *Summary) Apart(other *Summary) []string {
	var keys []string
	for _, pair := range [][2]*Summary{{s, other}, {other, s}} {
		for k, v := range pair[0].Settings {
			if w, ok := pair[1].Settings[k]; (!ok || v != w) && k != "seed" && config.Counts(k) {
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
		if v, ok := s.Settings[key]; ok {
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
