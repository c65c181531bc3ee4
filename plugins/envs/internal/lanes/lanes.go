// Package lanes holds what every vectorised environment does alike: it checks
// a call before anything is changed, keeps each lane's clock, ends episodes and
// fingerprints a task's constants.
//
// An environment embeds nothing; it owns a Guard and calls it first and last:
//
//	func (e *env) Step(lanes []int, actions []int32, f *core.Frame) error {
//		if err := e.guard.Step(lanes, actions, nil, f); err != nil {
//			return err
//		}
//		for _, l := range lanes {
//			... the rules, observations and state of lane l ...
//			e.guard.Finish(l, reward, terminal, won, f)
//		}
//		return nil
//	}
//
// Nothing here allocates unless it refuses a call.
package lanes

import (
	"errors"
	"fmt"

	"macpro/core"
)

// Guard knows which lanes run an episode and for how long.
type Guard struct {
	spec  core.EnvSpec
	clock []int32  // transitions of the running episode, idle without one
	stamp []uint64 // the last call that listed the lane
	call  uint64
}

// idle is the clock of a lane without a running episode.
const idle = -1

// New makes the guard of an environment with that many lanes, all of them idle.
func New(spec core.EnvSpec, lanes int) (*Guard, error) {
	if lanes < 1 {
		return nil, fmt.Errorf("%s %s: %d lanes, want at least 1", spec.Env, spec.Task, lanes)
	}
	g := &Guard{spec: spec, clock: make([]int32, lanes), stamp: make([]uint64, lanes)}
	for l := range g.clock {
		g.clock[l] = idle
	}
	return g, nil
}

// Spec returns the specification the guard was made for.
func (g *Guard) Spec() core.EnvSpec { return g.spec }

// Reset checks the arguments of core.Env.Reset and starts the lanes' clocks.
func (g *Guard) Reset(lanes []int, seeds []uint64, f *core.Frame) error {
	if len(seeds) != len(lanes) {
		return g.errorf("%d seeds for %d lanes", len(seeds), len(lanes))
	}
	if err := g.check(lanes, f); err != nil {
		return err
	}
	for _, l := range lanes {
		g.clock[l] = 0
	}
	return nil
}

// Step checks the arguments of core.Env.Step. avail is the lanes' current mask
// [lanes, n, A]; nil means that every action is available.
func (g *Guard) Step(lanes []int, actions []int32, avail []uint8, f *core.Frame) error {
	n, a := g.spec.Agents, g.spec.Actions
	if len(actions) != len(g.clock)*n {
		return g.errorf("%d actions for %d lanes of %d agents", len(actions), len(g.clock), n)
	}
	if err := g.check(lanes, f); err != nil {
		return err
	}
	for _, l := range lanes {
		if g.clock[l] == idle {
			return g.errorf("lane %d has no running episode, reset it first", l)
		}
		for i, u := range actions[l*n : (l+1)*n] {
			if u < 0 || int(u) >= a {
				return g.errorf("lane %d, agent %d: action %d is not one of 0 to %d", l, i, u, a-1)
			}
			if avail != nil && avail[(l*n+i)*a+int(u)] == 0 {
				return &Unavailable{g.spec, l, i, int(u)}
			}
		}
	}
	return nil
}

// Unavailable is the refusal of an action that the mask forbids.
type Unavailable struct {
	spec                core.EnvSpec
	Lane, Agent, Action int
}

func (e *Unavailable) Error() string {
	return fmt.Sprintf("%s %s: lane %d, agent %d: action %d is not available", e.spec.Env, e.spec.Task, e.Lane, e.Agent, e.Action)
}

// Because adds to a refused action why it is not available. why says so, or
// returns nothing; other errors are returned as they are.
func (*Guard) Because(err error, why func(lane, agent, action int) string) error {
	var u *Unavailable
	if errors.As(err, &u) {
		if reason := why(u.Lane, u.Agent, u.Action); reason != "" {
			return fmt.Errorf("%w: %s", err, reason)
		}
	}
	return err
}

// Finish counts one transition of a lane and writes its reward and flags. An
// episode ends when the rules say so (terminal) or else at the time limit.
func (g *Guard) Finish(lane int, reward float32, terminal, won bool, f *core.Frame) {
	g.clock[lane]++
	truncated := !terminal && int(g.clock[lane]) >= g.spec.Limit
	f.Reward[lane], f.Terminated[lane], f.Truncated[lane], f.Won[lane] = reward, terminal, truncated, won
	if terminal || truncated {
		g.clock[lane] = idle
	}
}

// check refuses lanes that do not exist or are listed twice and frames of
// another shape.
func (g *Guard) check(lanes []int, f *core.Frame) error {
	n := len(g.clock)
	if err := f.Check(g.spec, n); err != nil {
		return g.errorf("%w", err)
	}
	g.call++
	for _, l := range lanes {
		if l < 0 || l >= n {
			return g.errorf("lane %d is not one of 0 to %d", l, n-1)
		}
		if g.stamp[l] == g.call {
			return g.errorf("lane %d is listed twice", l)
		}
		g.stamp[l] = g.call
	}
	return nil
}

func (g *Guard) errorf(format string, args ...any) error {
	return fmt.Errorf("%s %s: %w", g.spec.Env, g.spec.Task, fmt.Errorf(format, args...))
}
