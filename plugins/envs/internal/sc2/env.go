package sc2

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"macpro/core"
	"macpro/plugins/envs/internal/lanes"
	"macpro/plugins/envs/internal/skirmish/battle"
)

// Task is what is played.
type Task struct {
	Spec    core.EnvSpec
	Map     *battle.Map
	Options battle.Options
}

type env struct {
	guard *lanes.Guard
	lanes []*lane
	avail []uint8 // [lanes, n, A], what the caller was shown
	fleet *fleet
	once  sync.Once // of Close
}

// Open makes n independent lanes of a task. It checks that the game and the map are
// there; a game itself is started with the first episode of its lane.
func Open(t Task, n int, c Config) (core.Env, error) {
	guard, err := lanes.New(t.Spec, n)
	if err != nil {
		return nil, err
	}
	if t.Options.Style == battle.Lite {
		return nil, errors.New("env_args.conventions smaclite counts damage events, of which StarCraft II tells nothing; " +
			"use official with env_args.backend sc2")
	}
	if n > c.Games {
		return nil, fmt.Errorf("%s %s: %d lanes need as many games at a time, and env_args.sc2_games allows %d", t.Spec.Env, t.Spec.Task, n, c.Games)
	}
	in, err := find(c)
	if err != nil {
		return nil, err
	}
	data, err := in.readMap(t.Map.Name)
	if err != nil {
		return nil, err
	}
	s := &stage{Task: t, config: c, fleet: join(in, c), data: data}
	e := &env{guard: guard, fleet: s.fleet, avail: make([]uint8, n*t.Spec.Agents*t.Spec.Actions)}
	for i := range n {
		e.lanes = append(e.lanes, newLane(s, i))
	}
	return e, nil
}

func (e *env) Spec() core.EnvSpec { return e.guard.Spec() }

// Reset starts episodes. It launches games where there are none. After an error some
// lanes may have no episode.
func (e *env) Reset(lanes []int, seeds []uint64, f *core.Frame) error {
	if err := e.guard.Reset(lanes, seeds, f); err != nil {
		return err
	}
	err := together(len(lanes), func(i int) error { return e.lanes[lanes[i]].reset(seeds[i]) })
	if err != nil {
		return e.errorf(err)
	}
	for _, l := range lanes {
		e.show(l, f)
	}
	return nil
}

func (e *env) Step(lanes []int, joint []int32, f *core.Frame) error {
	if err := e.guard.Step(lanes, joint, e.avail, f); err != nil {
		return e.guard.Because(err, func(l, agent, action int) string { return e.lanes[l].unavailable(agent, action) })
	}
	n := len(joint) / len(e.lanes)
	out := make([]battle.Outcome, len(lanes))
	err := together(len(lanes), func(i int) (err error) {
		out[i], err = e.lanes[lanes[i]].step(joint[lanes[i]*n : (lanes[i]+1)*n])
		return err
	})
	if err != nil {
		return e.errorf(err)
	}
	for i, l := range lanes {
		e.guard.Finish(l, float32(out[i].Reward), out[i].Terminated, out[i].Won, f)
		e.show(l, f)
		if f.Terminated[l] || f.Truncated[l] {
			e.lanes[l].finish()
		}
	}
	return nil
}

// Close lets all games go. They end with the last environment of their fleet.
func (e *env) Close() error {
	e.once.Do(func() {
		for _, l := range e.lanes {
			l.park()
		}
		e.fleet.leave()
	})
	return nil
}

func (e *env) show(l int, f *core.Frame) {
	n := len(e.lanes)
	obs, state, mask := len(f.Obs)/n, len(f.State)/n, len(f.Avail)/n
	e.lanes[l].observe(f.Obs[l*obs:(l+1)*obs], f.State[l*state:(l+1)*state])
	copy(e.avail[l*mask:(l+1)*mask], e.lanes[l].avail)
	copy(f.Avail[l*mask:(l+1)*mask], e.lanes[l].avail)
}

// together calls f for 0 to n-1 side by side: each lane has a game of its own. If several
// lanes fail in the same way, the error says so once.
func together(n int, f func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = f(i) })
	}
	all.Wait()
	told := map[string]bool{}
	return errors.Join(slices.DeleteFunc(errs, func(err error) bool {
		if err == nil || told[err.Error()] {
			return true
		}
		told[err.Error()] = true
		return false
	})...)
}

func (e *env) errorf(err error) error {
	s := e.guard.Spec()
	return fmt.Errorf("%s %s: %w", s.Env, s.Task, err)
}

// unavailable says why an agent cannot take an action now.
func (l *lane) unavailable(agent, action int) string {
	if len(l.roster.agents) == 0 {
		return ""
	}
	return l.roster.table.Unavailable(agent, action, l.Options.Shoot)
}
