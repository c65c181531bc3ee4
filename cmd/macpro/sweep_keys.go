package main

import (
	"fmt"
	"maps"
	"slices"
)

// leftOut says which keys were left out of how many configurations.
func leftOut(left map[string]int) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(left)) {
		cells := fmt.Sprintf("%d configurations", left[key])
		if left[key] == 1 {
			cells = "1 configuration"
		}
		out = append(out, fmt.Sprintf("%s is left out of %s that do not have this key", key, cells))
	}
	return out
}
