package family

import (
	"macpro/core"
	"macpro/plugins/envs/internal/lanes"
	"macpro/plugins/envs/internal/skirmish/battle"
)

type env struct {
	guard   *lanes.Guard
	battles []*battle.Battle
	avail   []uint8 // [lanes, n, A], what the caller was shown
}

func (t task) open(n int, spec core.EnvSpec) (core.Env, error) {
	guard, err := lanes.New(spec, n)
	if err != nil {
		return nil, err
	}
	e := &env{guard: guard, battles: make([]*battle.Battle, n), avail: make([]uint8, n*spec.Agents*spec.Actions)}
	for l := range e.battles {
		e.battles[l] = battle.New(t.m, t.opt)
	}
	return e, nil
}

func (e *env) Spec() core.EnvSpec { return e.guard.Spec() }

func (e *env) Close() error { return nil }

func (e *env) Reset(lanes []int, seeds []uint64, f *core.Frame) error {
	if err := e.guard.Reset(lanes, seeds, f); err != nil {
		return err
	}
	for i, l := range lanes {
		e.battles[l].Reset(seeds[i])
		e.show(l, f)
	}
	return nil
}

func (e *env) Step(lanes []int, joint []int32, f *core.Frame) error {
	if err := e.guard.Step(lanes, joint, e.avail, f); err != nil {
		return e.guard.Because(err, func(l, agent, action int) string { return e.battles[l].Unavailable(agent, action) })
	}
	n := len(joint) / len(e.battles)
	for _, l := range lanes {
		out := e.battles[l].Step(joint[l*n : (l+1)*n])
		e.guard.Finish(l, float32(out.Reward), out.Terminated, out.Won, f)
		e.show(l, f)
	}
	return nil
}

func (e *env) show(l int, f *core.Frame) {
	n := len(e.battles)
	obs, state, mask := len(f.Obs)/n, len(f.State)/n, len(f.Avail)/n
	b := e.battles[l]
	b.Observe(f.Obs[l*obs:(l+1)*obs], f.State[l*state:(l+1)*state])
	copy(e.avail[l*mask:(l+1)*mask], b.Avail())
	copy(f.Avail[l*mask:(l+1)*mask], b.Avail())
}

var _ core.Painter = (*env)(nil)

// Paint shows the map and all units with their health, see battle.Battle.
func (e *env) Paint(lane int, s *core.Scene) { e.battles[lane].Paint(s) }
