package metrics

import (
	"cmp"
	"math"
	"slices"
)

// Point is one test: the score of a task after T training transitions.
type Point struct {
	T     int64   `json:"t"`
	Score float64 `json:"score"`
}

// Curve is the scores p_i of one task over time, in ascending T.
type Curve []Point

// With adds a point at the end. A test that is repeated at the time of the last one,
// as at the end of a task that was stopped early, takes its place.
func (c Curve) With(p Point) Curve {
	if n := len(c); n > 0 && c[n-1].T == p.T {
		c = c[:n-1]
	}
	return append(c, p)
}

// Last is the mean of the last k points after time from, or of all if there are
// fewer; NaN if there are none.
func (c Curve) Last(k int, from int64) float64 {
	var x []float64
	for i := len(c) - 1; i >= 0 && len(x) < k && c[i].T > from; i-- {
		x = append(x, c[i].Score)
	}
	slices.Reverse(x) // added in the order of time, whatever k is
	return Mean(x)
}

// Best is the largest score, NaN without a point.
func (c Curve) Best() float64 {
	if len(c) == 0 {
		return math.NaN()
	}
	best := c[0].Score
	for _, p := range c {
		best = max(best, p.Score)
	}
	return best
}

// At is the score at time t: linear between two points, constant before the
// first and after the last, NaN without a point.
func (c Curve) At(t int64) float64 {
	i, hit := slices.BinarySearchFunc(c, t, func(p Point, t int64) int { return cmp.Compare(p.T, t) })
	switch {
	case len(c) == 0:
		return math.NaN()
	case hit:
		return c[i].Score
	case i == 0:
		return c[0].Score
	case i == len(c):
		return c[i-1].Score
	}
	a, b := c[i-1], c[i]
	part := float64(t-a.T) / float64(b.T-a.T)
	return a.Score + part*(b.Score-a.Score)
}

// Area is AUC = 1/(to-from) times the integral of the curve from from to to,
// by trapezoids (CW); NaN without a point or for an empty interval.
func (c Curve) Area(from, to int64) float64 {
	if len(c) == 0 || to <= from {
		return math.NaN()
	}
	sum := 0.0
	last := Point{from, c.At(from)}
	add := func(p Point) {
		sum += float64(p.T-last.T) * (p.Score + last.Score) / 2
		last = p
	}
	for _, p := range c {
		if p.T > from && p.T < to {
			add(p)
		}
	}
	add(Point{to, c.At(to)})
	return sum / float64(to-from)
}

// minRoom is the smallest room for improvement, 1 - AUC of the reference, at
// which a forward transfer is defined.
const minRoom = 0.02

// LearningTransfer is FT = (AUC - AUC_ref) / (1 - AUC_ref) (CW): how much
// faster a task was learned than by a single-task run from scratch, given the
// areas of both curves. NaN when the reference leaves less than 0.02 to gain.
func LearningTransfer(area, reference float64) float64 {
	if !(1-reference >= minRoom) {
		return math.NaN()
	}
	return (area - reference) / (1 - reference)
}

// MeanDefined is the mean of the values that are not NaN, NaN if there are none.
func MeanDefined(x []float64) float64 {
	return Mean(slices.DeleteFunc(slices.Clone(x), math.IsNaN))
}

// AverageSeen is A(t) = 1/m(t) sum_{i<=m(t)} p_i(t), the average over the tasks
// that have been started by time t, the main axis of the paper's figures.
// starts holds the time at which each task's training started, ascending. Only
// points from a task's start on are used; a started task without such a point
// yet has the value of its next one. NaN if no task has been started or one of
// the started has no point at all.
func AverageSeen(curves []Curve, starts []int64, t int64) float64 {
	var seen []float64
	for i, start := range starts {
		if start > t || i >= len(curves) {
			break
		}
		k := slices.IndexFunc(curves[i], func(p Point) bool { return p.T >= start })
		if k < 0 {
			return math.NaN()
		}
		seen = append(seen, curves[i][k:].At(t))
	}
	return Mean(seen)
}
