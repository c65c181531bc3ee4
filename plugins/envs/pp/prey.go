package pp

// vec32 is an offset as an observation holds it.
type vec32 struct{ x, y float32 }

// to32 is the offset from a to b as seen at a.
func to32(a, b vec) vec32 { return vec32{float32(b.x - a.x), float32(b.y - a.y)} }

// preyAction chooses the prey's action before a step.
func (r *rules) preyAction(w *world) int32 {
	switch r.policy {
	case randomly:
		return int32(w.rng.Intn(actions))
	case flee:
		return along(r.watched(w), -1)
	case charge:
		return along(r.watched(w), 1)
	}
	return 0
}

// watched is the offset of the predator that the prey reacts to, the first of
// the nearest ones. Distances are measured from the prey or, in the original
// program, which takes the offset of landmark 1 for the prey's own position,
// from that landmark.
func (r *rules) watched(w *world) vec32 {
	self := w.pos[predators]
	var from vec32
	if r.nearest == official {
		from = to32(self, r.landmarks[1])
	}
	var best vec32
	var least float32
	for i, p := range w.pos[:predators] {
		o := to32(self, p)
		x, y := o.x-from.x, o.y-from.y
		if d := x*x + y*y; i == 0 || d < least {
			best, least = o, d
		}
	}
	return best
}

// along is the action that pushes with (sign 1) or against (-1) the larger
// component of an offset.
func along(o vec32, sign float32) int32 {
	component, action := o.x, int32(1)
	if abs(o.y) > abs(o.x) {
		component, action = o.y, 3
	}
	if component < 0 {
		sign = -sign
	}
	if sign < 0 {
		action++
	}
	return action
}

func abs(x float32) float32 {
	if x < 0 {
		return -x
	}
	return x
}
