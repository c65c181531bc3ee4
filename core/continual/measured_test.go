package continual

import (
	"testing"

	"macpro/core"
	"macpro/core/metrics"
)

// Two layers by hand: the head, from parameter 4 on, reads the second one. Of its four
// units one is at 0.02 of the layer's mean and one at 0.03; the tau is 0.025. Two of
// its features are equal.
func TestMeasuredByHand(t *testing.T) {
	layers := []core.Layer{
		{Name: "in", Width: 2, Out: []core.Span{{Offset: 2, Count: 1}}},
		{Name: "features", Width: 4, Out: []core.Span{{Offset: 4, Count: 1}}},
	}
	seen := []core.Activity{
		{Layer: "in", MeanAbs: []float32{1, 1}, Gram: []float32{1, 0, 0, 1}},
		{Layer: "features", MeanAbs: []float32{0.02, 0.03, 1.975, 1.975}, Gram: []float32{
			1, 0, 0, 0,
			0, 1, 0, 0,
			0, 0, 1, 1,
			0, 0, 1, 1,
		}},
	}
	row := measured(layers, seen, []float32{3, 0, 0, 4}, []float32{3, 0, 0, 1})
	if row.Dormant != 1./6 || row.Rank == nil || *row.Rank != 3 || row.Norm != 5 || row.Drift == nil || *row.Drift != 3 {
		t.Errorf("%+v, rank %v, drift %v", row, row.Rank, row.Drift)
	}
	if row := measured(layers, seen, []float32{3, 0, 0, 4}, nil); row.Drift != nil {
		t.Errorf("a drift of %v from nowhere", *row.Drift)
	}
}

// A test at the very start of a task is of the training before it.
func TestStopNeedsTestsOfItsOwnTask(t *testing.T) {
	r := &Runner{cfg: Config{stop: stopRule{score: 0.5, tests: 1}}, modes: []string{"m"}, state: state{Task: 1, Starts: []int64{0, 100}}}
	for at, want := range map[int64]bool{90: false, 100: false, 110: true} {
		r.curves = map[string][]metrics.Curve{"m": {nil, {{T: at, Score: 1}}}}
		if r.reached() != want {
			t.Errorf("with a test at %d of a task that began at 100 it stops: %v", at, !want)
		}
	}
}
