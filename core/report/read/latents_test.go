package read

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// The first component of points on a line is that line, pointing up.
func TestProjection(t *testing.T) {
	var points []mean
	for i := range 5 {
		x := float64(i)
		points = append(points, mean{Latent{Agent: -1}, []float64{-2 * x, -x, 7}})
	}
	points = append(points, mean{Latent{Agent: 0}, []float64{0, 0, 7}})
	d, ok := project(dumpKey{3, "end"}, points)
	if !ok || d.T != 3 {
		t.Fatal("no picture")
	}
	near(t, "share of the first component", d.Explained[0], 1, 1e-9)
	near(t, "distance of neighbours", math.Abs(d.Points[1].At[0]-d.Points[0].At[0]), math.Sqrt(5), 1e-3)
	near(t, "f is projected alike", d.Points[5].At[0], d.Points[0].At[0], 1e-9)
	if d.Points[0].At[0] < d.Points[4].At[0] {
		t.Error("the largest loading is negative")
	}
	if _, ok := project(dumpKey{}, points[:1]); ok {
		t.Error("one point has components")
	}
	points[0].mu = []float64{1}
	if _, ok := project(dumpKey{}, points); ok {
		t.Error("points of different widths have components")
	}
}
