package skirmish

import "math"

// Collision avoidance by optimal reciprocal collision avoidance (van den Berg, Guy,
// Lin and Manocha, "Reciprocal n-body collision avoidance", 2011). Every neighbour
// and every wall nearby forbids a half-plane of velocities that would lead to a
// collision within the horizon; the unit takes the allowed velocity that is nearest
// to the one it wants (program.go).
const (
	horizon = 1.0 // seconds; also written as the factor 1 that is left out below
	epsilon = 1e-5
)

// line bounds a half-plane of velocities: v is allowed if dir x (at - v) <= 0, that
// is, on the left of the line through at in the direction of the unit vector dir.
type line struct{ at, dir Vec }

// avoid returns the velocity of unit me for this tick. Only units that touch or
// nearly touch count as neighbours.
func (w *World) avoid(me int) Vec {
	u := &w.units[me]
	w.lines = w.lines[:0]
	if u.Stats.Plane == Ground {
		w.wallLines(u)
	}
	walls := len(w.lines)
	r := w.maxSeparation + u.Stats.Separation
	for _, i := range w.all {
		c := &w.units[i]
		if i == me || c.Stats.Plane != u.Stats.Plane || c.Pos.minus(u.Pos).square() > r*r {
			continue
		}
		if l, ok := unitLine(u, c); ok {
			w.lines = append(w.lines, l)
		}
	}
	if len(w.lines) == 0 {
		return u.want
	}
	v := w.solve(walls, u.Stats.Speed, u.want)
	if w.rules.Sidestep {
		return w.sidestep(me, walls, v)
	}
	return v
}

// unitLine is the half-plane that unit c imposes on u. Each of the two takes half of
// the correction if both are moving; otherwise u takes all of it.
func unitLine(u, c *Unit) (line, bool) {
	x := c.Pos.minus(u.Pos)
	v := u.Vel.minus(c.Vel)
	r := u.Stats.Separation + c.Stats.Separation
	share := 1.0
	if !c.want.zero() {
		share = 0.5
	}
	dist2 := x.square()
	if dist2 <= r*r { // they overlap: part within one tick
		return discLine(u.Vel, v.plusScaled(x, -TicksPerSecond), r*TicksPerSecond, share)
	}
	rel := v.minus(x) // from the centre of the cut-off disc to the relative velocity
	if along := rel.dot(x); along < 0 && along*along > r*r*rel.square() {
		return discLine(u.Vel, rel, r, share)
	}
	leg := math.Sqrt(dist2 - r*r)
	var dir Vec
	if x.det(rel) > 0 {
		dir = Vec{x.X*leg - x.Y*r, x.X*r + x.Y*leg}.times(1 / dist2)
	} else {
		dir = Vec{x.X*leg + x.Y*r, -x.X*r + x.Y*leg}.times(-1 / dist2)
	}
	change := dir.times(v.dot(dir)).minus(v)
	return line{u.Vel.plusScaled(change, share), dir}, true
}

// discLine is the half-plane for a relative velocity that lies off the centre of the
// forbidden disc by rel. Two units in the same place with the same velocity impose
// nothing, for want of a direction.
func discLine(vel, rel Vec, radius, share float64) (line, bool) {
	d := rel.length()
	if d == 0 {
		return line{}, false
	}
	n := rel.times(1 / d)
	return line{vel.plusScaled(n, share*(radius-d)), n.right()}, true
}
