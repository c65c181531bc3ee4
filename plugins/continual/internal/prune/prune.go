// Package prune chooses, layer by layer, the weights that a task keeps for itself:
// of those that are free the largest (PackNet, Mallya and Lazebnik, 2018).
package prune

import (
	"cmp"
	"math"
	"slices"

	"macpro/core"
)

// Owners says to whom the first parameters of a learner belong.
type Owners struct {
	Of     []uint8 // 0 is free, other numbers are owners
	layers []layer
}

type layer struct {
	lo, hi int
	bias   bool
}

// New makes the first n parameters free. The tensors among them are the layers.
func New(e core.Exporter, n int) *Owners {
	o := &Owners{Of: make([]uint8, n)}
	at := 0
	for _, w := range e.Weights() {
		if at >= n {
			break
		}
		o.layers = append(o.layers, layer{at, at + len(w.Data), len(w.Shape) == 1})
		at += len(w.Data)
	}
	return o
}

// Keep gives a share of the free weights of every layer to an owner, those with
// the largest |w|. Biases all go to the first owner, as in the source. It returns
// how many parameters the owner gets.
func (o *Owners) Keep(w []float32, share float64, owner uint8) int {
	kept := 0
	var free []int
	for _, l := range o.layers {
		free = free[:0]
		for j := l.lo; j < l.hi; j++ {
			if o.Of[j] == 0 {
				free = append(free, j)
			}
		}
		keep := len(free)
		if !l.bias {
			keep = int(math.Round(share * float64(len(free))))
			slices.SortStableFunc(free, func(a, b int) int { return cmp.Compare(size(w[b]), size(w[a])) })
		}
		for _, j := range free[:keep] {
			o.Of[j] = owner
		}
		kept += keep
	}
	return kept
}

func size(x float32) float64 { return math.Abs(float64(x)) }

// Free counts the free parameters.
func (o *Owners) Free() int {
	free := 0
	for _, k := range o.Of {
		if k == 0 {
			free++
		}
	}
	return free
}
