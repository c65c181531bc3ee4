package conform

import (
	"errors"
	"maps"
	"testing"

	"macpro/core"
)

// Env runs the suite of environment families on p. s holds the family's own
// keys, as its defaults or any other legal values. Checks named in skip are left
// out; an unknown name there is a failure.
func Env(t *testing.T, p core.EnvPlugin, s core.Settings, skip ...string) {
	t.Helper()
	envChecks.test(t, envSubject{p, s}, skip...)
}

// EnvChecks is the suite of environment families on p without the checks in
// skip; see Env.
func EnvChecks(p core.EnvPlugin, s core.Settings, skip ...string) []Check {
	return envChecks.on(envSubject{p, s}, skip...)
}

type envSubject struct {
	plugin   core.EnvPlugin
	settings core.Settings
}

var envChecks = suite[envSubject]{
	{"info", ofEnv(checkInfo)},
	{"lists", ofEnv(checkLists)},
	{"unknown task", ofEnv(checkUnknownTask)},
	{"specs", ofEnv(checkSpecs)},
	{"episodes", ofEnv(checkEpisodes)},
	{"seeds", ofEnv(checkSeeds)},
	{"lanes", ofEnv(checkLanes)},
	{"refusals", ofEnv(checkRefusals)},
	{"instances", ofEnv(checkInstances)},
	{"hash", ofEnv(checkHash)},
	{"allocations", ofEnv(checkAllocations)},
}

// ofEnv is a check that also wants the settings unchanged.
func ofEnv(check func(core.EnvPlugin, core.Settings) error) func(envSubject) error {
	return func(s envSubject) error {
		before := maps.Clone(s.settings)
		return errors.Join(check(s.plugin, s.settings), sameSettings(before, s.settings))
	}
}
