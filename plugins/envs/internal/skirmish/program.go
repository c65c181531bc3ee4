package skirmish

import "math"

// solve returns the velocity of at most speed that is nearest to want in all the
// half-planes of w.lines, the first walls of which belong to walls. If there is none
// it returns the velocity that violates the lines of the neighbours the least.
func (w *World) solve(walls int, speed float64, want Vec) Vec {
	if want.square() > speed*speed {
		want = want.times(speed / want.length())
	}
	v, failed := optimise(w.lines, speed, want, want, false)
	if failed < len(w.lines) {
		v = w.relax(walls, failed, speed, v)
	}
	return v
}

// optimise starts from v and satisfies one line after the other. The result is the
// feasible velocity nearest to goal or, if far is set, the one farthest in direction
// goal. failed is the index of the first line that contradicts the earlier ones, or
// the number of lines.
func optimise(lines []line, speed float64, goal, v Vec, far bool) (_ Vec, failed int) {
	for i := range lines {
		if lines[i].dir.det(lines[i].at.minus(v)) > 0 {
			n, ok := onLine(lines, i, speed, goal, far)
			if !ok {
				return v, i
			}
			v = n
		}
	}
	return v, len(lines)
}

// onLine finds the best velocity on line i that respects the speed limit and the
// lines before it.
func onLine(lines []line, i int, speed float64, goal Vec, far bool) (Vec, bool) {
	l := lines[i]
	c := l.at.dot(l.dir)
	disc := c*c + speed*speed - l.at.square()
	if disc < 0 {
		return Vec{}, false
	}
	root := math.Sqrt(disc)
	lo, hi := -c-root, -c+root
	for _, o := range lines[:i] {
		den, num := l.dir.det(o.dir), o.dir.det(l.at.minus(o.at))
		if math.Abs(den) < epsilon {
			if num < 0 {
				return Vec{}, false
			}
			continue
		}
		if t := num / den; den >= 0 {
			hi = min(hi, t)
		} else {
			lo = max(lo, t)
		}
		if lo > hi {
			return Vec{}, false
		}
	}
	var t float64
	switch {
	case !far:
		t = min(max(l.dir.dot(goal.minus(l.at)), lo), hi)
	case goal.dot(l.dir) > 0:
		t = hi
	default:
		t = lo
	}
	return l.at.plusScaled(l.dir, t), true
}

// relax minimises the largest violation of the neighbours' lines, from line begin on,
// while the walls' lines stay hard.
func (w *World) relax(walls, begin int, speed float64, v Vec) Vec {
	worst := 0.0
	for k := begin; k < len(w.lines); k++ {
		l := w.lines[k]
		if l.dir.det(l.at.minus(v)) <= worst {
			continue
		}
		w.bisectors = append(w.bisectors[:0], w.lines[:walls]...)
		for j := walls; j < k; j++ {
			if b, ok := bisector(l, w.lines[j]); ok {
				w.bisectors = append(w.bisectors, b)
			}
		}
		inward := l.dir.left()
		if n, failed := optimise(w.bisectors, speed, inward, inward.times(speed), true); failed == len(w.bisectors) {
			v = n
		}
		worst = l.dir.det(l.at.minus(v))
	}
	return v
}

// bisector is the line on which the violations of l and o are equal. Parallel lines
// of one direction have none.
func bisector(l, o line) (line, bool) {
	var b line
	den := l.dir.det(o.dir)
	if math.Abs(den) <= epsilon {
		if l.dir.dot(o.dir) > 0 {
			return line{}, false
		}
		b.at = l.at.plus(o.at).times(0.5)
	} else {
		b.at = l.at.plusScaled(l.dir, o.dir.det(l.at.minus(o.at))/den)
	}
	b.dir = o.dir.minus(l.dir)
	b.dir = b.dir.times(1 / b.dir.length())
	return b, true
}
