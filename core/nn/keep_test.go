package nn

import (
	"slices"
	"testing"

	"macpro/core/rng"
)

// A graph that keeps packed weights gives the values and gradients of one that
// does not, after every change of the parameters that was announced by Touch.
func TestKeptWeights(t *testing.T) {
	var l Layout
	mlp := l.MLP("mlp", []int{5, 7, 6}, ActReLU)
	gru := l.GRU("gru", 6, 4)
	net, err := NewNetwork(&l)
	if err != nil {
		t.Fatal(err)
	}
	from := rng.New(1).Stream()
	net.Init(from)
	build := func(keep bool) (*Graph, *Network, *Value, *Value) {
		g, own := NewGraph(), net.Fork()
		if keep {
			g.KeepWeights()
		}
		steps := new(Steps)
		if err := steps.Set(1, []int{3, 2, 2}); err != nil {
			t.Fatal(err)
		}
		x := g.Input("x", g.Extent(7), 5)
		h, err := g.Apply(mlp.Op(), x, g.Param(own, mlp.Segment))
		if err == nil {
			h, err = g.Apply(gru.Op(steps), h, g.Param(own, gru.Segment))
		}
		if err != nil {
			t.Fatal(err)
		}
		loss, err := g.Apply(&halfSquare{}, h)
		if err == nil {
			err = g.Compile(loss)
		}
		if err != nil {
			t.Fatal(err)
		}
		return g, own, x, h
	}
	keeping, kept, x1, h1 := build(true)
	plain, own, x2, h2 := build(false)
	changes := 0
	for step := range 6 {
		for i := range x1.Data() {
			x1.Data()[i] = float32(from.Norm())
		}
		copy(x2.Data(), x1.Data())
		before := slices.Clone(h1.Data())
		if err := keeping.Run(); err != nil {
			t.Fatal(err)
		}
		if err := plain.Run(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(h1.Data(), h2.Data()) || !slices.Equal(kept.Grads, own.Grads) {
			t.Fatalf("step %d: kept weights give other values or gradients", step)
		}
		if !slices.Equal(before, h1.Data()) {
			changes++
		}
		if step%2 == 1 {
			for i := range net.Params {
				net.Params[i] *= 0.9
			}
			net.Touch()
		}
	}
	if changes != 6 {
		t.Errorf("the values changed in %d of 6 steps", changes)
	}
}

// halfSquare is half the sum of squares.
type halfSquare struct{}

func (halfSquare) Name() string                               { return "half square" }
func (halfSquare) NeedsGrad(int) bool                         { return true }
func (halfSquare) Out([]*Extent, []int) (*Extent, int, error) { return nil, 1, nil }
func (halfSquare) Forward(in []Mat, out Mat) error {
	out.Data[0] = float32(SumSq(in[0].Data) / 2)
	return nil
}
func (halfSquare) Backward(in []Mat, _, _ Mat, dIn []Mat) error {
	copy(dIn[0].Data, in[0].Data)
	return nil
}
