package draw

import (
	"fmt"
	"macpro/core/report/internal/study"
	"math"
	"testing"
)

func TestSeeKnownPoints(t *testing.T) {
	const quarter = math.Pi / 2
	for _, c := range []struct {
		from     viewpoint
		at, want [3]float64
	}{
		{viewpoint{}, [3]float64{1, 0, 0}, [3]float64{0, 0, -1}}, // the eye is on the first axis
		{viewpoint{}, [3]float64{0, 1, 0}, [3]float64{1, 0, 0}},
		{viewpoint{}, [3]float64{0, 0, 1}, [3]float64{0, 1, 0}},
		{viewpoint{azimuth: -quarter}, [3]float64{1, 0, 0}, [3]float64{1, 0, 0}}, // on the negative second
		{viewpoint{azimuth: -quarter}, [3]float64{0, 1, 0}, [3]float64{0, 0, 1}},
		{viewpoint{elevation: quarter}, [3]float64{1, 0, 0}, [3]float64{0, -1, 0}}, // above
		{viewpoint{elevation: quarter}, [3]float64{0, 0, 1}, [3]float64{0, 0, -1}},
		{viewpoint{elevation: quarter / 3}, [3]float64{0, 0, 2}, [3]float64{0, math.Sqrt(3), -1}},
	} {
		x, y, depth := c.from.see(c.at)
		for k, got := range [3]float64{x, y, depth} {
			study.Near(t, fmt.Sprintf("%v from %v, %d", c.at, c.from, k), got, c.want[k], 1e-12)
		}
	}
}

// No axis is stretched: a sphere is seen as one.
func TestSeeKeepsLengths(t *testing.T) {
	for _, at := range [][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, 0, -0.8}} {
		x, y, depth := sight.see(at)
		study.Near(t, fmt.Sprint("length of ", at), x*x+y*y+depth*depth, 1, 1e-12)
	}
}

func TestRoomHasAllPointsAndHeight(t *testing.T) {
	r := roomOf([]Points{{X: []float64{-4, 6}, Y: []float64{0, 1}, Z: []float64{2, 2}}})
	for k, want := range []float64{10.5, 5.5, 5.5} {
		study.Near(t, fmt.Sprint("side ", k), r.high[k]-r.low[k], want, 1e-12)
	}
	study.Near(t, "middle of a flat side", (r.high[2]+r.low[2])/2, 2, 1e-12)
	one := roomOf([]Points{{X: []float64{3}, Y: []float64{3}, Z: []float64{3}}})
	if low, high := one.extent(); !(high.X > low.X && high.Y > low.Y) {
		t.Errorf("a single point has no room: %v to %v", low, high)
	}
}

// The corner that is nearest to the eye belongs to no wall.
func TestWallsAreBehind(t *testing.T) {
	r := room{high: [3]float64{3, 2, 1}}
	nearest := math.Inf(1)
	for _, at := range [][3]float64{r.corner(), r.corner(0), r.corner(1), r.corner(2), r.corner(0, 1), r.corner(0, 2), r.corner(1, 2), r.corner(0, 1, 2)} {
		_, _, depth := sight.see(at)
		nearest = min(nearest, depth)
	}
	for i, pane := range r.panes() {
		for _, at := range pane {
			if _, _, depth := sight.see(at); depth == nearest {
				t.Errorf("wall %d has the corner in front", i)
			}
		}
	}
}

func TestNearPointsAreDrawnLast(t *testing.T) {
	f := Points{Label: "f"}
	g := Points{Label: "g", Triangle: true}
	for i := range 40 {
		q := &f
		if i%4 == 0 {
			q = &g
		}
		v := float64(i * 7 % 40)
		q.X, q.Y, q.Z = append(q.X, v), append(q.Y, -v), append(q.Z, v)
	}
	drawn := painted([]Points{f, g})
	count, last := map[string]int{}, math.Inf(1)
	_, _, far := sight.see([3]float64{})
	_, _, near := sight.see([3]float64{39, -39, 39})
	for _, q := range drawn {
		for i := range q.X {
			_, _, depth := sight.see(q.at(i))
			if depth > last+(far-near)/layers {
				t.Errorf("depth %v after %v", depth, last)
			}
			last = min(last, depth)
			count[q.Label]++
		}
		if q.Triangle != (q.Label == "g") {
			t.Errorf("%s lost its mark", q.Label)
		}
	}
	if count["f"] != 30 || count["g"] != 10 {
		t.Errorf("points drawn: %v", count)
	}
	if len(f.X) != 30 {
		t.Error("the clouds themselves were changed")
	}
}
