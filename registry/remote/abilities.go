package remote

import (
	"context"

	"google.golang.org/grpc"

	"macpro/core"
	"macpro/registry/remote/wire"
)

// The names of the optional abilities of plugins on the wire. Those of learners
// are core's.
const (
	abilityMatch    = "match"     // core.Matcher
	abilityMaxLanes = "max_lanes" // core.LaneLimiter
	abilityTaskFree = "task_free" // core.TaskFree
)

// abilitiesOf lists the optional abilities of a plugin of this process.
func abilitiesOf(plugin any) []string {
	var out []string
	if _, ok := plugin.(core.Matcher); ok {
		out = append(out, abilityMatch)
	}
	if _, ok := plugin.(core.LaneLimiter); ok {
		out = append(out, abilityMaxLanes)
	}
	if m, ok := plugin.(core.TaskFree); ok && m.TaskFree() {
		out = append(out, abilityTaskFree)
	}
	return out
}

// matchCall is the call Match of either service that has it.
type matchCall = func(context.Context, *wire.Pairing, ...grpc.CallOption) (*wire.Empty, error)
