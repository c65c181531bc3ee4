package prune

import (
	"slices"
	"testing"

	"macpro/core"
)

// weights are tensors of a weight, a bias and another weight, and what is behind
// them.
type weights struct{}

func (weights) Weights() []core.Weight {
	return []core.Weight{
		{Name: "a", Shape: []int{2, 2}, Data: make([]float32, 4)}, {Name: "b", Shape: []int{2}, Data: make([]float32, 2)},
		{Name: "c", Shape: []int{4, 1}, Data: make([]float32, 4)}, {Name: "mixer", Shape: []int{3}, Data: make([]float32, 3)},
	}
}

// The largest free weights of every layer are kept; biases belong to the first
// owner.
func TestKeep(t *testing.T) {
	o := New(weights{}, 10)
	w := []float32{1, -4, 3, 2, 7, 8, 0, -1, 1, 5}
	if n := o.Keep(w, 0.5, 1); n != 6 || o.Free() != 4 || !slices.Equal(o.Of, []uint8{0, 1, 1, 0, 1, 1, 0, 1, 0, 1}) {
		t.Errorf("the first owner keeps %d: %v", n, o.Of)
	}
	w = []float32{9, -4, 3, 10, 7, 8, 2, -1, 1, 5}
	if n := o.Keep(w, 0.5, 2); n != 2 || o.Free() != 2 || !slices.Equal(o.Of, []uint8{0, 1, 1, 2, 1, 1, 2, 1, 0, 1}) {
		t.Errorf("the second owner keeps %d: %v", n, o.Of)
	}
}
