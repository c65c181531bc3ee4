package experiment

import (
	"maps"
	"slices"

	"macpro/core"
)

// TaskOrder lists each task once: the sequence "train", the other sequences,
// then the tasks that are only tested.
func TaskOrder(list core.TaskList) []string {
	all := slices.Clone(list.Sequences["train"])
	for _, s := range slices.Sorted(maps.Keys(list.Sequences)) {
		all = append(all, list.Sequences[s]...)
	}
	var out []string
	for _, t := range append(all, list.Generalization...) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
