package skirmish

// Reciprocal avoidance alone makes a unit queue behind another that stands exactly in
// its way: the nearest allowed velocity is none at all. The game's path finder leads
// units around such blockers; this file does the same for those that are touched.
const (
	blockedBelow = 0.5  // share of the wanted progress below which a unit is blocked
	freeAbove    = 0.25 // share of its speed that a way around must allow
	touch        = 1.02 // distance of centres, in radius sums, up to which two units touch
	sideMemory   = 8    // ticks for which a unit stays on the side it took
)

// sidestep corrects the velocity v that avoidance allows unit me. If v leads nowhere
// because somebody stands in the way, it returns a velocity along the blocker's edge. It
// tries the side that the unit took before, then the side of its goal, then the other.
func (w *World) sidestep(me, walls int, v Vec) Vec {
	u := &w.units[me]
	if u.sided > 0 {
		if u.sided--; u.sided == 0 {
			u.side = 0
		}
	}
	full := u.want.square()
	if v.dot(u.want) >= blockedBelow*full {
		return v
	}
	b := w.blocker(me)
	if b == None {
		return v
	}
	off := w.units[b].Pos.minus(u.Pos)
	side := u.side
	if side == 0 {
		side = 1
		if lean := off.det(u.want); lean < 0 || lean == 0 && me%2 == 1 {
			side = -1
		}
	}
	along := off.left().times(u.want.length() / off.length())
	for range 2 {
		way := along.times(side)
		if n := w.solve(walls, u.Stats.Speed, way); n.dot(way) >= freeAbove*full {
			u.side, u.sided = side, sideMemory
			return n
		}
		side = -side
	}
	return v
}

// blocker returns the standing unit that unit me touches and that is most nearly in
// the direction in which it wants to go, or None.
func (w *World) blocker(me int) int {
	u := &w.units[me]
	best, ahead := None, 0.0
	for _, i := range w.all {
		c := &w.units[i]
		if i == me || c.Stats.Plane != u.Stats.Plane || !c.want.zero() {
			continue
		}
		off := c.Pos.minus(u.Pos)
		r := touch * (u.Stats.Separation + c.Stats.Separation)
		d := off.square()
		if d > r*r || d == 0 {
			continue
		}
		if a := off.dot(u.want) / off.length(); a > ahead {
			best, ahead = i, a
		}
	}
	return best
}
