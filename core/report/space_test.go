package report

import (
	"fmt"
	"math"
	"strings"
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
			near(t, fmt.Sprintf("%v from %v, %d", c.at, c.from, k), got, c.want[k], 1e-12)
		}
	}
}

// No axis is stretched: a sphere is seen as one.
func TestSeeKeepsLengths(t *testing.T) {
	for _, at := range [][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, 0, -0.8}} {
		x, y, depth := sight.see(at)
		near(t, fmt.Sprint("length of ", at), x*x+y*y+depth*depth, 1, 1e-12)
	}
}

func TestRoomHasAllPointsAndHeight(t *testing.T) {
	r := roomOf([]Points{{X: []float64{-4, 6}, Y: []float64{0, 1}, Z: []float64{2, 2}}})
	for k, want := range []float64{10.5, 5.5, 5.5} {
		near(t, fmt.Sprint("side ", k), r.high[k]-r.low[k], want, 1e-12)
	}
	near(t, "middle of a flat side", (r.high[2]+r.low[2])/2, 2, 1e-12)
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

// The first two pictures have three components and the last has two; a dump without
// a third component is a picture of two everywhere.
func TestComponentsOfPictures(t *testing.T) {
	set := contextual()
	solids := func() string {
		drawn, err := Draw("context", set, Options{})
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, p := range drawn[0].Panels {
			if len(p.Points) == 0 {
				continue
			}
			out += map[bool]string{true: "3", false: "2"}[p.solid()]
			if p.solid() != (len(p.Points[0].Z) > 0) {
				t.Errorf("%s has %d depths", p.Title, len(p.Points[0].Z))
			}
			if !strings.HasPrefix(p.X, "component 1 (") || !strings.HasPrefix(p.Y, "component 2 (") {
				t.Errorf("axes %q and %q", p.X, p.Y)
			}
		}
		return out
	}
	if got := solids(); got != "332" {
		t.Errorf("components of the pictures: %s", got)
	}
	for _, s := range set.Runs {
		if len(s.Latents) > 0 {
			s.Latents[0].Explained = s.Latents[0].Explained[:2]
		}
	}
	if got := solids(); got != "232" {
		t.Errorf("components of the pictures, of a first dump with two: %s", got)
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{0: "< 0.1 %", 0.0004: "< 0.1 %", 0.0011: "0.1 %", 0.45: "45 %", 0.9906: "99.1 %", 1: "100 %"} {
		if got := percent(share); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
}
