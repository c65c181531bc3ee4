package conform

import (
	"slices"

	"macpro/core"
)

// Check is one promise of a contract, for use outside of a test.
type Check struct {
	Name string
	Run  func() error
}

// EnvChecks is the suite of environment families on p without the checks in
// skip; see Env.
func EnvChecks(p core.EnvPlugin, s core.Settings, skip ...string) []Check {
	var out []Check
	for _, c := range envChecks {
		if !slices.Contains(skip, c.name) {
			out = append(out, Check{c.name, func() error { return c.run(p, s) }})
		}
	}
	return out
}

// MethodChecks is the suite of continual methods; see MethodOn.
func MethodChecks(s MethodSubject) []Check {
	var out []Check
	for _, c := range methodChecks {
		out = append(out, Check{c.name, func() error { return c.run(s) }})
	}
	return out
}

// LearnerChecks is the suite of team learners; see Learner.
func LearnerChecks(s LearnerSubject) []Check {
	var out []Check
	for _, c := range learnerChecks {
		out = append(out, Check{c.name, func() error { return c.run(s) }})
	}
	return out
}
