package conform

import (
	"maps"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/names"
)

// Env runs the suite of environment families on p. s holds the family's own
// keys, as its defaults or any other legal values. Checks named in skip are left
// out; an unknown name there is a failure.
func Env(t *testing.T, p core.EnvPlugin, s core.Settings, skip ...string) {
	t.Helper()
	for _, name := range skip {
		if !slices.ContainsFunc(envChecks, func(c envCheck) bool { return c.name == name }) {
			t.Fatal(names.Unknown("check", name, envCheckNames()))
		}
	}
	for _, c := range envChecks {
		if slices.Contains(skip, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			before := maps.Clone(s)
			if err := c.run(p, s); err != nil {
				t.Error(err)
			}
			if err := sameSettings(before, s); err != nil {
				t.Error(err)
			}
		})
	}
}

// envCheck is one promise of the contract.
type envCheck struct {
	name string
	run  func(core.EnvPlugin, core.Settings) error
}

var envChecks = []envCheck{
	{"info", checkInfo},
	{"lists", checkLists},
	{"unknown task", checkUnknownTask},
	{"specs", checkSpecs},
	{"episodes", checkEpisodes},
	{"seeds", checkSeeds},
	{"lanes", checkLanes},
	{"refusals", checkRefusals},
	{"instances", checkInstances},
	{"hash", checkHash},
	{"allocations", checkAllocations},
}

func envCheckNames() []string {
	var all []string
	for _, c := range envChecks {
		all = append(all, c.name)
	}
	return all
}
