package skirmish

import "math"

// wallLines appends the half-planes that the walls near u impose, edge by edge. An
// edge counts if u is strictly on its outer side.
func (w *World) wallLines(u *Unit) {
	reach := u.Stats.Separation + u.Stats.Speed*horizon
	for i := range w.scene.Terrain.walls {
		wl := &w.scene.Terrain.walls[i]
		if !wl.within(u.Pos, reach) {
			continue
		}
		for e := range 4 {
			if wallAlong[e].det(u.Pos.minus(wl.corner[e])) < 0 {
				w.edgeLine(u, wl, e)
			}
		}
	}
}

// edgeLine appends the half-plane of edge e of a wall, unless earlier lines imply it.
func (w *World) edgeLine(u *Unit, wl *wall, e int) {
	r := u.Stats.Separation
	a, b := wl.corner[e].minus(u.Pos), wl.corner[(e+1)&3].minus(u.Pos)
	for _, l := range w.lines {
		if a.minus(l.at).det(l.dir)-r >= -epsilon && b.minus(l.at).det(l.dir)-r >= -epsilon {
			return
		}
	}
	edge := b.minus(a)
	s := -a.dot(edge) / edge.square()
	q := a.plusScaled(edge, s).length() // distance from the edge's line
	if l, touching, ok := touchLine(a, b, s, q, r, e); touching {
		if ok {
			w.lines = append(w.lines, l)
		}
		return
	}
	if l, ok := w.coneLine(u.Vel, a, b, s, q, r, e); ok {
		w.lines = append(w.lines, l)
	}
}

// touchLine handles a unit that touches the edge: it may not come nearer. touching
// says whether it does, ok whether that forbids anything.
func touchLine(a, b Vec, s, q, r float64, e int) (l line, touching, ok bool) {
	switch {
	case s < 0 && a.square() < r*r:
		return line{dir: a.left().times(1 / a.length())}, true, true
	case s > 1 && b.square() <= r*r:
		if b.det(wallAlong[(e+1)&3]) < 0 { // the next edge sees to it
			return line{}, true, false
		}
		return line{dir: b.left().times(1 / b.length())}, true, true
	case s > 0 && s < 1 && q <= r:
		return line{dir: wallAlong[e].times(-1)}, true, true
	}
	return line{}, false, false
}

// coneLine is the half-plane for an edge from a to b (relative to the unit) at a
// distance: the velocities that reach it within the horizon fill a truncated cone.
func (w *World) coneLine(v, a, b Vec, s, q, r float64, e int) (line, bool) {
	l, m := a, b // the cut-off runs from l to m
	next := wallAlong[(e+1)&3]
	point := false // the edge is seen from its end, as its nearer corner alone
	if q <= r && s < 0 {
		m, next, point = a, wallAlong[e], true
	} else if q <= r && s > 1 {
		l, point = b, true
	}
	lg := math.Sqrt(l.square() - r*r)
	left := Vec{l.X*lg - l.Y*r, l.X*r + l.Y*lg}.times(1 / l.square())
	rg := math.Sqrt(m.square() - r*r)
	right := Vec{m.X*rg + m.Y*r, -m.X*r + m.Y*rg}.times(1 / m.square())

	// A leg that points into the wall is replaced by the neighbouring edge, whose
	// own line then does the work.
	before := wallAlong[(e+3)&3].times(-1)
	foreignLeft, foreignRight := left.det(before) >= 0, right.det(next) <= 0
	if foreignLeft {
		left = before
	}
	if foreignRight {
		right = next
	}
	return w.nearestSide(v, l, m, left, right, foreignLeft, foreignRight, point, r, e)
}

// nearestSide projects the velocity v on the side of the cone that is nearest: an end
// of the cut-off, the cut-off, the left or the right leg.
func (w *World) nearestSide(v, l, m, left, right Vec, foreignLeft, foreignRight, point bool, r float64, e int) (line, bool) {
	t := 0.5
	if !point {
		t = v.minus(l).dot(m.minus(l)) / m.minus(l).square()
	}
	tl, tr := v.minus(l).dot(left), v.minus(m).dot(right)
	switch {
	case t < 0 && tl < 0 || point && tl < 0 && tr < 0:
		return roundEnd(v, l, r)
	case t > 1 && tr < 0:
		return roundEnd(v, m, r)
	}
	inf := math.Inf(1)
	cut, byLeft, byRight := inf, inf, inf
	if t >= 0 && t <= 1 && !point {
		cut = v.minus(l.plusScaled(m.minus(l), t)).square()
	}
	if tl >= 0 {
		byLeft = v.minus(l.plusScaled(left, tl)).square()
	}
	if tr >= 0 {
		byRight = v.minus(m.plusScaled(right, tr)).square()
	}
	switch {
	case cut <= byLeft && cut <= byRight:
		dir := wallAlong[e].times(-1)
		return line{l.plus(w.inflate(dir, r)), dir}, true
	case byLeft <= byRight:
		return line{l.plus(w.inflate(left, r)), left}, !foreignLeft
	default:
		dir := right.times(-1)
		return line{m.plus(w.inflate(dir, r)), dir}, !foreignRight
	}
}

// roundEnd is the line at the rounded end c of a cut-off.
func roundEnd(v, c Vec, r float64) (line, bool) {
	rel := v.minus(c)
	d := rel.length()
	if d == 0 {
		return line{}, false
	}
	n := rel.times(1 / d)
	return line{c.plusScaled(n, r), n.right()}, true
}

// inflate is the offset of a line in direction dir from a wall's side.
func (w *World) inflate(dir Vec, r float64) Vec {
	if w.rules.FlatWalls {
		return Vec{-dir.Y, -dir.Y}.times(r)
	}
	return dir.left().times(r)
}
