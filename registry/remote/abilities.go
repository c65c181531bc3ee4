package remote

import (
	"context"

	"google.golang.org/grpc"

	"macpro/core"
	"macpro/registry/remote/wire"
)

// The names of optional abilities on the wire.
const (
	abilityMatch        = "match"         // core.Matcher
	abilityWeights      = "weights"       // core.Exporter
	abilityJointValues  = "joint_values"  // core.JointValuer
	abilityTaskHeads    = "task_heads"    // core.HeadMapper
	abilityContextSteps = "context_steps" // core.ContextCounter
)

// abilitiesOf lists the optional abilities of a plugin, a learner or a method.
func abilitiesOf(x any) []string {
	var out []string
	if _, ok := x.(core.Matcher); ok {
		out = append(out, abilityMatch)
	}
	if _, ok := x.(core.Exporter); ok {
		out = append(out, abilityWeights)
	}
	if _, ok := x.(core.JointValuer); ok {
		out = append(out, abilityJointValues)
	}
	if _, ok := x.(core.HeadMapper); ok {
		out = append(out, abilityTaskHeads)
	}
	if _, ok := x.(core.ContextCounter); ok {
		out = append(out, abilityContextSteps)
	}
	return out
}

// matchCall is the call Match of either service that has it.
type matchCall = func(context.Context, *wire.Pairing, ...grpc.CallOption) (*wire.Empty, error)
