package skirmish

import "math"

// edge is one side of a wall as a unit sees it: corners relative to the unit's centre.
type edge struct {
	a, b                Vec     // the corners; going from a to b the wall is on the left
	along, before, next Vec     // directions of this edge and of its neighbours
	s                   float64 // where the unit is beside it: 0 at a, 1 at b
	q                   float64 // distance from its line
	r                   float64 // the unit's radius
}

// wallLines appends the half-planes that the walls near u impose, edge by edge. An
// edge counts if u is strictly on its outer side and no earlier line implies its own.
func (w *World) wallLines(u *Unit) {
	reach := u.Stats.Separation + u.Stats.Speed*horizon
	for i := range w.scene.Terrain.walls {
		wl := &w.scene.Terrain.walls[i]
		if !wl.within(u.Pos, reach) {
			continue
		}
		for k := range 4 {
			if wallAlong[k].det(u.Pos.minus(wl.corner[k])) >= 0 {
				continue
			}
			e := wl.edge(k, u)
			if w.implied(&e) {
				continue
			}
			if l, ok := e.line(u.Vel, w.rules.FlatWalls); ok {
				w.lines = append(w.lines, l)
			}
		}
	}
}

// edge returns side k of a wall as u sees it.
func (wl *wall) edge(k int, u *Unit) edge {
	e := edge{
		a: wl.corner[k].minus(u.Pos), b: wl.corner[(k+1)&3].minus(u.Pos),
		along: wallAlong[k], before: wallAlong[(k+3)&3], next: wallAlong[(k+1)&3],
		r: u.Stats.Separation,
	}
	side := e.b.minus(e.a)
	e.s = -e.a.dot(side) / side.square()
	e.q = e.a.plusScaled(side, e.s).length()
	return e
}

// implied reports whether a line that is already there keeps the unit off the whole
// edge.
func (w *World) implied(e *edge) bool {
	for _, l := range w.lines {
		if e.a.minus(l.at).det(l.dir)-e.r >= -epsilon && e.b.minus(l.at).det(l.dir)-e.r >= -epsilon {
			return true
		}
	}
	return false
}

// line is the half-plane that the edge imposes on a unit with velocity v, if any. A
// unit that touches it may not come nearer.
func (e *edge) line(v Vec, flat bool) (line, bool) {
	switch {
	case e.s < 0 && e.a.square() < e.r*e.r:
		return line{dir: e.a.left().times(1 / e.a.length())}, true
	case e.s > 1 && e.b.square() <= e.r*e.r:
		// If the next edge faces the unit as well it sees to the corner.
		return line{dir: e.b.left().times(1 / e.b.length())}, e.b.det(e.next) >= 0
	case e.s > 0 && e.s < 1 && e.q <= e.r:
		return line{dir: e.along.times(-1)}, true
	}
	c := e.cone()
	return c.line(v, flat)
}

// cone is the set of velocities with which a unit reaches an edge within the horizon:
// everything beyond the cut-off from l to m and between the two legs.
type cone struct {
	l, m                      Vec
	left, right               Vec
	foreignLeft, foreignRight bool // the leg runs along a neighbouring edge
	corner                    bool // only the nearer corner is seen; l and m are equal
	along                     Vec
	r                         float64
}

func (e *edge) cone() cone {
	c := cone{l: e.a, m: e.b, along: e.along, r: e.r}
	next := e.next
	if e.q <= e.r && e.s < 0 {
		c.m, next, c.corner = e.a, e.along, true
	} else if e.q <= e.r && e.s > 1 {
		c.l, c.corner = e.b, true
	}
	c.left, c.right = tangent(c.l, c.r), tangent(c.m, -c.r)
	// A leg that points into the wall gives way to the neighbouring edge, whose own
	// line then does the work.
	if before := e.before.times(-1); c.left.det(before) >= 0 {
		c.left, c.foreignLeft = before, true
	}
	if c.right.det(next) <= 0 {
		c.right, c.foreignRight = next, true
	}
	return c
}

// tangent is the direction from the origin that touches the circle of radius |r| around
// p: on its left for r > 0, on its right for r < 0.
func tangent(p Vec, r float64) Vec {
	d2 := p.square()
	leg := math.Sqrt(d2 - r*r)
	return Vec{p.X*leg - p.Y*r, p.X*r + p.Y*leg}.times(1 / d2)
}

// line projects the velocity v on the side of the cone that is nearest: an end of the
// cut-off, the cut-off itself, the left or the right leg.
func (c *cone) line(v Vec, flat bool) (line, bool) {
	t := 0.5
	if cut := c.m.minus(c.l); !c.corner {
		t = v.minus(c.l).dot(cut) / cut.square()
	}
	tl, tr := v.minus(c.l).dot(c.left), v.minus(c.m).dot(c.right)
	switch {
	case t < 0 && tl < 0 || c.corner && tl < 0 && tr < 0:
		return roundEnd(v, c.l, c.r)
	case t > 1 && tr < 0:
		return roundEnd(v, c.m, c.r)
	}
	cut, left, right := math.Inf(1), math.Inf(1), math.Inf(1)
	if t >= 0 && t <= 1 && !c.corner {
		cut = v.minus(c.l.plusScaled(c.m.minus(c.l), t)).square()
	}
	if tl >= 0 {
		left = v.minus(c.l.plusScaled(c.left, tl)).square()
	}
	if tr >= 0 {
		right = v.minus(c.m.plusScaled(c.right, tr)).square()
	}
	switch {
	case cut <= left && cut <= right:
		return c.offset(c.l, c.along.times(-1), flat), true
	case left <= right:
		return c.offset(c.l, c.left, flat), !c.foreignLeft
	}
	return c.offset(c.m, c.right.times(-1), flat), !c.foreignRight
}

// roundEnd is the line at the rounded end p of a cut-off. A velocity that is the end
// itself has no direction to leave in.
func roundEnd(v, p Vec, r float64) (line, bool) {
	rel := v.minus(p)
	d := rel.length()
	if d == 0 {
		return line{}, false
	}
	n := rel.times(1 / d)
	return line{p.plusScaled(n, r), n.right()}, true
}

// offset is the line in direction dir through p, moved away from the wall by the
// unit's radius.
func (c *cone) offset(p, dir Vec, flat bool) line {
	out := dir.left()
	if flat {
		out = Vec{-dir.Y, -dir.Y}
	}
	return line{p.plusScaled(out, c.r), dir}
}
