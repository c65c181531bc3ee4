package metrics_test

import (
	"math"
	"testing"

	"macpro/core/metrics"
)

// Units are compared with the mean of their own layer, the bound included.
func TestDormant(t *testing.T) {
	for name, c := range map[string]struct {
		layers [][]float32
		tau    float64
		want   float64
	}{
		"none":           {[][]float32{{1, 2, 3}}, .025, 0},
		"one silent":     {[][]float32{{0, 2, 2, 4}}, 0, .25},
		"at the bound":   {[][]float32{{.5, 1.5}}, .5, .5},
		"above it":       {[][]float32{{.5, 1.5}}, .49, 0},
		"own layer":      {[][]float32{{1, 1}, {100, 100}}, .025, 0},
		"silent layer":   {[][]float32{{0, 0}, {1, 1}}, .025, .5},
		"small activity": {[][]float32{{.01, 1, 1, 1}}, .025, .25},
	} {
		if got := metrics.Dormant(c.layers, c.tau); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if got := metrics.Dormant(nil, .1); !math.IsNaN(got) {
		t.Errorf("no units: %v", got)
	}
}

// Ranks of diagonal matrices, and of features that repeat each other.
func TestEffectiveRank(t *testing.T) {
	for name, c := range map[string]struct {
		gram  []float32
		width int
		delta float64
		want  int
	}{
		"zero":         {make([]float32, 9), 3, .01, 0},
		"identity":     {[]float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, .01, 3},
		"one dead":     {[]float32{1, 0, 0, 0, 0, 0, 0, 0, 4}, 3, .01, 2},
		"small tail":   {[]float32{1, 0, 0, 1e-6}, 2, .01, 1}, // singular values 1 and .001
		"within delta": {[]float32{1, 0, 0, 1e-6}, 2, .0001, 2},
		"duplicated":   {[]float32{.3, .3, 0, .3, .3, 0, 0, 0, .7}, 3, .01, 2},
		"all the same": {[]float32{.3, .3, .3, .3, .3, .3, .3, .3, .3}, 3, .01, 1},
	} {
		if got, ok := metrics.EffectiveRank(c.gram, c.width, c.delta); got != c.want || !ok {
			t.Errorf("%s: %v %v, want %v", name, got, ok, c.want)
		}
	}
}
