package pp

import (
	"macpro/core"
	"macpro/plugins/envs/internal/lanes"
)

type env struct {
	guard  *lanes.Guard
	rules  *rules
	reward float32
	worlds []world
}

func (e *env) Spec() core.EnvSpec { return e.guard.Spec() }

func (e *env) Close() error { return nil }

func (e *env) Reset(lanes []int, seeds []uint64, f *core.Frame) error {
	if err := e.guard.Reset(lanes, seeds, f); err != nil {
		return err
	}
	for i, l := range lanes {
		e.worlds[l] = e.rules.start(seeds[i])
		e.show(l, f)
	}
	return nil
}

func (e *env) Step(lanes []int, joint []int32, f *core.Frame) error {
	if err := e.guard.Step(lanes, joint, nil, f); err != nil {
		return err
	}
	for _, l := range lanes {
		e.advance(l, joint[l*predators:(l+1)*predators], e.rules.preyAction(&e.worlds[l]), f)
	}
	return nil
}

// advance makes one transition of a lane.
func (e *env) advance(l int, hunt []int32, prey int32, f *core.Frame) {
	w := &e.worlds[l]
	e.rules.step(w, [bodies]int32{hunt[0], hunt[1], hunt[2], prey})
	caught, reward := e.rules.caught(w), float32(0)
	if caught {
		reward = e.reward
	}
	e.guard.Finish(l, reward, caught, caught, f)
	e.show(l, f)
}

func (e *env) show(l int, f *core.Frame) {
	const obs, mask = predators * obsWidth, predators * actions
	w := &e.worlds[l]
	for i := range predators {
		e.rules.observe(w, i, (*[obsWidth]float32)(f.Obs[l*obs+i*obsWidth:]))
	}
	e.rules.state(w, (*[stateWidth]float32)(f.State[l*stateWidth:]))
	*(*[mask]uint8)(f.Avail[l*mask:]) = [mask]uint8{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
}

// observe writes what predator i sees.
func (r *rules) observe(w *world, i int, o *[obsWidth]float32) {
	self := w.pos[i]
	put := func(at int, v vec32) { o[at], o[at+1] = v.x, v.y }
	put(0, to32(self, r.landmarks[0]))
	put(2, to32(self, r.landmarks[1]))
	put(4, vec32{float32(self.x), float32(self.y)})
	put(6, vec32{float32(w.vel[i].x), float32(w.vel[i].y)})
	at := 8
	for j, p := range w.pos {
		if j != i {
			put(at, to32(self, p))
			at += 2
		}
	}
	put(14, vec32{float32(w.vel[predators].x), float32(w.vel[predators].y)})
}

// state writes what the mixer sees.
func (r *rules) state(w *world, s *[stateWidth]float32) {
	for i, m := range r.landmarks {
		s[2*i], s[2*i+1] = float32(m.x), float32(m.y)
	}
	for i := range bodies {
		at := 4 + 4*i
		s[at], s[at+1] = float32(w.pos[i].x), float32(w.pos[i].y)
		s[at+2], s[at+3] = float32(w.vel[i].x), float32(w.vel[i].y)
	}
}
