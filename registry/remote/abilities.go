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
	abilityMaxLanes     = "max_lanes"     // core.LaneLimiter
	abilityWeights      = "weights"       // core.Exporter
	abilityJointValues  = "joint_values"  // core.JointValuer
	abilityHeadValues   = "head_values"   // core.HeadValuer
	abilityTaskHeads    = "task_heads"    // core.HeadMapper
	abilityContextSteps = "context_steps" // core.ContextCounter
	abilityEvalModes    = "eval_modes"    // core.EvalModer
	abilityEpisodeEnded = "episode_ended" // core.EpisodeWatcher
	abilityTestFields   = "test_fields"   // core.TestReporter
)

// optional tells by name what something of this process can do.
var optional = []struct {
	name string
	has  func(x any) bool
}{
	{abilityMatch, is[core.Matcher]},
	{abilityMaxLanes, is[core.LaneLimiter]},
	{abilityWeights, is[core.Exporter]},
	{abilityJointValues, is[core.JointValuer]},
	{abilityHeadValues, is[core.HeadValuer]},
	{abilityTaskHeads, is[core.HeadMapper]},
	{abilityContextSteps, is[core.ContextCounter]},
	{abilityEvalModes, is[core.EvalModer]},
	{abilityEpisodeEnded, is[core.EpisodeWatcher]},
	{abilityTestFields, is[core.TestReporter]},
}

func is[T any](x any) bool {
	_, ok := x.(T)
	return ok
}

// abilitiesOf lists the optional abilities of a plugin, a learner, a method or a
// stepper.
func abilitiesOf(x any) []string {
	var out []string
	for _, a := range optional {
		if a.has(x) {
			out = append(out, a.name)
		}
	}
	return out
}

// matchCall is the call Match of either service that has it.
type matchCall = func(context.Context, *wire.Pairing, ...grpc.CallOption) (*wire.Empty, error)
