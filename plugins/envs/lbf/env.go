package lbf

import (
	"macpro/core"
	"macpro/plugins/envs/internal/lanes"
)

type env struct {
	guard  *lanes.Guard
	task   task
	cfg    Config
	worlds []world
}

func (e *env) Spec() core.EnvSpec { return e.guard.Spec() }

func (e *env) Close() error { return nil }

func (e *env) Reset(lanes []int, seeds []uint64, f *core.Frame) error {
	if err := e.guard.Reset(lanes, seeds, f); err != nil {
		return err
	}
	for i, l := range lanes {
		e.worlds[l] = spawn(e.task, e.cfg, seeds[i])
		e.show(l, f)
	}
	return nil
}

func (e *env) Step(lanes []int, joint []int32, f *core.Frame) error {
	if err := e.guard.Step(lanes, joint, nil, f); err != nil {
		return err
	}
	for _, l := range lanes {
		w := &e.worlds[l]
		w.step(joint[l*players : (l+1)*players])
		reward := e.cfg.RewardScale * (w.share(0) + w.share(1))
		e.guard.Finish(l, float32(reward), w.eaten, w.eaten, f)
		e.show(l, f)
	}
	return nil
}

func (e *env) show(l int, f *core.Frame) {
	const obs, mask = players * width, players * actions
	w := &e.worlds[l]
	w.observe(0, (*[width]float32)(f.Obs[l*obs:]))
	w.observe(1, (*[width]float32)(f.Obs[l*obs+width:]))
	w.state((*[width]float32)(f.State[l*width:]))
	*(*[mask]uint8)(f.Avail[l*mask:]) = [mask]uint8{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
}

// observe writes what player i sees.
func (w *world) observe(i int, o *[width]float32) {
	if w.eaten || !w.sees(i, w.food) {
		o[0], o[1], o[2] = -1, -1, 0
	} else {
		w.foodTriple((*[3]float32)(o[0:]))
	}
	w.playerTriple(i, (*[3]float32)(o[3:]))
	if w.sees(i, w.pos[1-i]) {
		w.playerTriple(1-i, (*[3]float32)(o[6:]))
	} else {
		o[6], o[7], o[8] = -1, -1, 0
	}
	o[9] = float32(w.share(i))
}

// state writes what the mixer sees.
func (w *world) state(s *[width]float32) {
	if w.eaten {
		s[0], s[1], s[2] = 0, 0, 0
	} else {
		w.foodTriple((*[3]float32)(s[0:]))
	}
	w.playerTriple(0, (*[3]float32)(s[3:]))
	w.playerTriple(1, (*[3]float32)(s[6:]))
	s[9] = float32(w.share(0) + w.share(1))
}

// foodTriple writes row, column and level of the food.
func (w *world) foodTriple(x *[3]float32) {
	x[0], x[1], x[2] = float32(w.food.row), float32(w.food.col), float32(w.level[0]+w.level[1])
}

// playerTriple writes row, column and level of player i.
func (w *world) playerTriple(i int, x *[3]float32) {
	x[0], x[1], x[2] = float32(w.pos[i].row), float32(w.pos[i].col), float32(w.level[i])
}
