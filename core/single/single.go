// Package single holds what all continual methods with one head have in common:
// the head that is trained is the head that acts in every test.
package single

import (
	"macpro/core"
	"macpro/core/names"
)

// Mode is the test mode of methods with one head: the live head acts.
const Mode = "single"

// One is the part of a method that has one head, to be embedded. Its value is
// the method's name, for messages.
type One string

// Head is the id of the head that is trained.
func (One) Head() int { return 0 }

// Modes lists the only test mode.
func (One) Modes() []string { return []string{Mode} }

// Report shows nothing.
func (One) Report() core.MethodReport { return core.MethodReport{} }

// ChooseHeads lets the live head act.
func (o One) ChooseHeads(_ core.Task, mode string, _ core.Evaluation) (core.HeadPlan, error) {
	if mode != Mode {
		return core.HeadPlan{}, names.Unknown("test mode of "+string(o), mode, o.Modes())
	}
	return core.HeadPlan{}, nil
}
