package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"macpro/core/config"
	"macpro/registry"
)

// foreignKeys names, for the keys among a cell's settings that only other plugins
// have, one of them. Where the cell's plugins cannot be told it is empty:
// resolving the cell says why.
func foreignKeys(sets []string) map[string]string {
	u := config.User{Sets: sets, Environ: keysOf(os.Environ())}
	where, err := pluginsOf(u)
	if err != nil {
		return nil
	}
	choices, err := config.Choose(u, map[string]string{"alg": defaultAlg(), "learner": "qmix"})
	where.imply(choices)
	if _, ok := choices["env"]; !ok || err != nil {
		return nil
	}
	var errs []error
	env := pick(registry.Envs, where, choices["env"], &errs)
	alg := pick(registry.Methods, where, choices["alg"], &errs)
	learner := pick(registry.Learners, where, choices["learner"], &errs)
	if errs != nil {
		return nil
	}
	known := knownKeys(env.Info(), alg.Info(), learner.Info())
	out := map[string]string{}
	for _, kv := range sets {
		key, _, _ := strings.Cut(kv, "=")
		if owner, foreign := known[key]; foreign {
			out[key] = owner
		}
	}
	return out
}

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
