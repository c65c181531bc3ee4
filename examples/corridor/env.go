package main

import (
	"fmt"

	"macpro/core"
	"macpro/core/rng"
)

const (
	agents  = 2
	actions = 3 // stay, left, right
	width   = 2 // of an observation (own and the other's place) and of the state
)

// world is one corridor. t is the number of transitions, or idle.
type world struct {
	at      [agents]int
	t       int
	running bool
}

// env is a vector of corridors.
type env struct {
	spec   core.EnvSpec
	cfg    Config
	exit   int
	worlds []world
}

func (e *env) Spec() core.EnvSpec { return e.spec }
func (e *env) Close() error       { return nil }

// check refuses a call that cannot be served, before anything changes.
func (e *env) check(lanes []int, f *core.Frame) error {
	if len(f.Reward) != len(e.worlds) {
		return fmt.Errorf("corridor %s: a frame of %d lanes, want %d", e.spec.Task, len(f.Reward), len(e.worlds))
	}
	for _, l := range lanes {
		if l < 0 || l >= len(e.worlds) {
			return fmt.Errorf("corridor %s: lane %d is not one of 0 to %d", e.spec.Task, l, len(e.worlds)-1)
		}
	}
	return nil
}

// Reset puts both agents on cells that follow from the seed.
func (e *env) Reset(lanes []int, seeds []uint64, f *core.Frame) error {
	if len(seeds) != len(lanes) {
		return fmt.Errorf("corridor %s: %d seeds for %d lanes", e.spec.Task, len(seeds), len(lanes))
	}
	if err := e.check(lanes, f); err != nil {
		return err
	}
	for i, l := range lanes {
		draw := rng.FromSeed(seeds[i])
		w := world{running: true}
		for k := range w.at {
			w.at[k] = draw.Intn(e.cfg.Length)
		}
		e.worlds[l] = w
		e.show(l, f)
	}
	return nil
}

// Step moves the agents; whoever is at a wall cannot walk into it.
func (e *env) Step(lanes []int, joint []int32, f *core.Frame) error {
	if len(joint) != len(e.worlds)*agents {
		return fmt.Errorf("corridor %s: %d actions for %d lanes", e.spec.Task, len(joint), len(e.worlds))
	}
	if err := e.check(lanes, f); err != nil {
		return err
	}
	for _, l := range lanes {
		if !e.worlds[l].running {
			return fmt.Errorf("corridor %s: lane %d has no running episode", e.spec.Task, l)
		}
		for i, a := range joint[l*agents : (l+1)*agents] {
			if a < 0 || a >= actions || !e.worlds[l].can(i, int(a), e.cfg.Length) {
				return fmt.Errorf("corridor %s: lane %d, agent %d: action %d is not available", e.spec.Task, l, i, a)
			}
		}
	}
	for _, l := range lanes {
		w := &e.worlds[l]
		for i, a := range joint[l*agents : (l+1)*agents] {
			w.at[i] += [actions]int{0, -1, 1}[a]
		}
		w.t++
		won := w.at[0] == e.exit && w.at[1] == e.exit
		f.Reward[l], f.Terminated[l], f.Won[l] = 0, won, won
		if won {
			f.Reward[l] = 1
		}
		f.Truncated[l] = !won && w.t >= e.cfg.TimeLimit
		w.running = !won && !f.Truncated[l]
		e.show(l, f)
	}
	return nil
}

// can says whether an agent can take an action.
func (w *world) can(i, action, length int) bool {
	return !(action == 1 && w.at[i] == 0 || action == 2 && w.at[i] == length-1)
}

// show writes what lane l looks like; places are in [0,1].
func (e *env) show(l int, f *core.Frame) {
	w, scale := &e.worlds[l], float32(e.cfg.Length-1)
	for i := range agents {
		obs := f.Obs[(l*agents+i)*width:]
		obs[0], obs[1] = float32(w.at[i])/scale, float32(w.at[1-i])/scale
		f.State[l*width+i] = obs[0]
		for a := range actions {
			f.Avail[(l*agents+i)*actions+a] = 0
			if w.can(i, a, e.cfg.Length) {
				f.Avail[(l*agents+i)*actions+a] = 1
			}
		}
	}
}
