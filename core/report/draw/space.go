package draw

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
)

// viewpoint is where a panel of three components is seen from, in radians: the
// azimuth from the first component to the second, the elevation to the third.
type viewpoint struct{ azimuth, elevation float64 }

// sight is that of all panels, so that they can be compared. The first component,
// along which contexts differ most, runs across the picture.
var sight = viewpoint{azimuth: -60 * math.Pi / 180, elevation: 20 * math.Pi / 180}

// see projects a point orthographically: x to the right, y up, depth away from the
// eye. Lengths keep their proportions.
func (v viewpoint) see(at [3]float64) (x, y, depth float64) {
	sinA, cosA := math.Sincos(v.azimuth)
	sinE, cosE := math.Sincos(v.elevation)
	near := at[0]*cosA + at[1]*sinA // on the floor
	return at[1]*cosA - at[0]*sinA, at[2]*cosE - near*sinE, -near*cosE - at[2]*sinE
}

// room is the box around the points of a panel.
type room struct{ low, high [3]float64 }

// roomOf is as long along each component as the points reach, and at least half
// the longest: a box without height would show no third one.
func roomOf(clouds []Points) room {
	r := room{low: [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}, high: [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}}
	for _, q := range clouds {
		for i := range q.X {
			for k, v := range q.at(i) {
				r.low[k], r.high[k] = min(r.low[k], v), max(r.high[k], v)
			}
		}
	}
	longest := 0.0
	for k := range r.low {
		longest = max(longest, r.high[k]-r.low[k])
	}
	if longest == 0 {
		longest = 1
	}
	for k := range r.low {
		middle, side := (r.low[k]+r.high[k])/2, max(r.high[k]-r.low[k], longest/2)
		side += longest / 20 // no point on a wall
		r.low[k], r.high[k] = middle-side/2, middle+side/2
	}
	return r
}

// corner is at the high end of some components.
func (r room) corner(high ...int) [3]float64 {
	at := r.low
	for _, k := range high {
		at[k] = r.high[k]
	}
	return at
}

// panes are the sides of the room behind the points, as seen from sight.
func (r room) panes() [3][4][3]float64 {
	return [3][4][3]float64{
		{r.corner(), r.corner(0), r.corner(0, 1), r.corner(1)},           // the floor
		{r.corner(), r.corner(1), r.corner(1, 2), r.corner(2)},           // low end of the first component
		{r.corner(1), r.corner(0, 1), r.corner(0, 1, 2), r.corner(1, 2)}, // high end of the second
	}
}

// edges are the middles of the edges in front along each component, where no
// point lies between their outer side and the picture's margin.
func (r room) edges() [3][3]float64 {
	middle := func(a, b [3]float64) [3]float64 {
		for k := range a {
			a[k] = (a[k] + b[k]) / 2
		}
		return a
	}
	return [3][3]float64{middle(r.corner(), r.corner(0)), middle(r.corner(0), r.corner(0, 1)), middle(r.corner(), r.corner(2))}
}

// extent is the part of the picture that the room fills.
func (r room) extent() (low, high plotter.XY) {
	low, high = plotter.XY{X: math.Inf(1), Y: math.Inf(1)}, plotter.XY{X: math.Inf(-1), Y: math.Inf(-1)}
	for i := range 8 {
		at := r.low
		for k := range at {
			if i>>k&1 == 1 {
				at[k] = r.high[k]
			}
		}
		x, y, _ := sight.see(at)
		low.X, high.X = min(low.X, x), max(high.X, x)
		low.Y, high.Y = min(low.Y, y), max(high.Y, y)
	}
	return low, high
}

// layers is how finely points are sorted by depth. Each layer costs a chart some
// series.
const layers = 16

// painted sorts points so that near ones are drawn over far ones. Within a layer
// of depth the clouds keep their order.
func painted(clouds []Points) []Points {
	type spot struct {
		cloud int
		at    [3]float64
		depth float64
	}
	var spots []spot
	near, far := math.Inf(1), math.Inf(-1)
	for c, q := range clouds {
		for i := range q.X {
			_, _, depth := sight.see(q.at(i))
			spots = append(spots, spot{c, q.at(i), depth})
			near, far = min(near, depth), max(far, depth)
		}
	}
	layer := func(s spot) int {
		if far == near {
			return 0
		}
		return int(layers * (far - s.depth) / (far - near))
	}
	slices.SortStableFunc(spots, func(a, b spot) int { return cmp.Or(layer(a)-layer(b), a.cloud-b.cloud) })
	var out []Points
	for i, s := range spots {
		if i == 0 || s.cloud != spots[i-1].cloud {
			out = append(out, clouds[s.cloud])
			q := &out[len(out)-1]
			q.X, q.Y, q.Z = nil, nil, nil
		}
		q := &out[len(out)-1]
		q.X, q.Y, q.Z = append(q.X, s.at[0]), append(q.Y, s.at[1]), append(q.Z, s.at[2])
	}
	return out
}

func (q Points) at(i int) [3]float64 { return [3]float64{q.X[i], q.Y[i], q.Z[i]} }
