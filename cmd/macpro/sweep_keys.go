package main

import (
	"fmt"
	"maps"
	"slices"

	"macpro/core/names"
)

// leftOut says which keys were left out of how many configurations.
func leftOut(left map[string]int) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(left)) {
		have := "do not have"
		if left[key] == 1 {
			have = "does not have"
		}
		out = append(out, fmt.Sprintf("%s is left out of %s that %s this key", key, names.Many(left[key], "configuration"), have))
	}
	return out
}
