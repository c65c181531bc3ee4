package nn

import (
	"fmt"
	"testing"
)

// Values and parameters that several operations read must get the sum of all
// gradients, on few rows after many, whatever Gorgonia does with the memory.
func TestSeveralConsumers(t *testing.T) {
	for _, size := range []struct{ capacity, width int }{{1, 1}, {1, 3}, {7, 1}, {130, 4}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			w := size.width
			var l Layout
			first, second := l.Linear("first", w, w, ActNone), l.Linear("second", w, w, ActReLU)
			net := network(t, &l)
			g := NewGraph()
			rows := g.Extent(size.capacity)
			x, c := g.Input("x", rows, w), g.Input("c", rows, w)
			// y is read three times, first's parameters twice, second's twice.
			y := apply(t, g, first.Op(), x, g.Param(net, first.Segment))
			a := apply(t, g, second.Op(), y, g.Param(net, second.Segment))
			b := apply(t, g, second.Op(), y, g.Param(net, second.Segment))
			d := apply(t, g, first.Op(), y, g.Param(net, first.Segment))
			loss := apply(t, g, WeightedSum(1, 2, -3),
				apply(t, g, dotLoss{}, a, c), apply(t, g, dotLoss{}, b, c), apply(t, g, dotLoss{}, d, c))
			compile(t, g, loss)
			for _, n := range []int{size.capacity, 1, max(1, size.capacity/2), size.capacity} {
				rows.N = n
				copy(x.Data(), normals(n*w, "x"))
				copy(c.Data(), normals(n*w, "c"))
				run(t, g)
				want := make([]float64, len(net.Params))
				p1, p2 := first.Of(net.Params), second.Of(net.Params)
				w1, w2 := want[:first.Len], want[first.Len:]
				sum := 0.0
				for i := range n {
					xi, ci := wide(x.Data()[i*w:(i+1)*w]), wide(c.Data()[i*w:(i+1)*w])
					yi, _ := refMLP(first.Widths, ActNone, p1, xi, ci, make([]float64, len(p1)))
					ai, da := refMLP(second.Widths, ActReLU, p2, yi, times(3, ci), w2)
					di, dd := refMLP(first.Widths, ActNone, p1, yi, times(-3, ci), w1)
					for j := range da {
						sum += 3*ci[j]*ai[j] - 3*ci[j]*di[j]
						da[j] += dd[j]
					}
					refMLP(first.Widths, ActNone, p1, xi, da, w1)
				}
				near(t, "loss", loss.Data(), []float64{sum}, 1e-5)
				near(t, "gradients", net.Grads, want, 1e-5)
			}
		})
	}
}

// cross is the scalar product of two equally wide rows or row families.
type cross struct{ dotLoss }

func (cross) NeedsGrad(int) bool { return true }

func (cross) Backward(in []Mat, _, dOut Mat, dIn []Mat) error {
	for i := range in {
		copy(dIn[i].Data, in[1-i].Data)
		Scale(dIn[i].Data, dOut.Data[0])
	}
	return nil
}

// One value in both places of an operation gets both gradients.
func TestSameInputTwice(t *testing.T) {
	var l Layout
	seg := l.Segment("p", TensorSpec{Name: "p", Shape: []int{5}, Init: FanIn(1)})
	m := l.Linear("m", 1, 2, ActNone)
	net := network(t, &l)
	g := NewGraph()
	p, x := g.Param(net, seg), g.Input("x", g.Extent(1), 1)
	y := apply(t, g, m.Op(), x, g.Param(net, m.Segment))
	compile(t, g, apply(t, g, WeightedSum(1, 1), apply(t, g, cross{}, p, p), apply(t, g, cross{}, y, y)))
	x.Data()[0] = 3
	for range 2 {
		run(t, g)
		near(t, "gradient of p.p", seg.Of(net.Grads), times(2, wide(seg.Of(net.Params))), 1e-6)
		w := wide(m.Of(net.Params))
		y0, y1 := 3*w[0]+w[2], 3*w[1]+w[3]
		near(t, "gradient of y.y", m.Of(net.Grads), []float64{6 * y0, 6 * y1, 2 * y0, 2 * y1}, 1e-6)
	}
}

func times(f float64, x []float64) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = f * x[i]
	}
	return y
}

// A parameter that the loss does not depend on has a zero gradient, and a fork
// of the network keeps its own.
func TestUnusedParametersAndForks(t *testing.T) {
	var l Layout
	used, unused := l.Linear("used", 2, 2, ActNone), l.Linear("unused", 2, 2, ActNone)
	net := network(t, &l)
	fork := net.Fork()
	g := NewGraph()
	rows := g.Extent(3)
	x, c := g.Input("x", rows, 2), g.Input("c", rows, 2)
	y := apply(t, g, used.Op(), x, g.Param(fork, used.Segment))
	apply(t, g, unused.Op(), x, g.Param(fork, unused.Segment))
	compile(t, g, apply(t, g, dotLoss{}, y, c))
	copy(x.Data(), normals(6, "x"))
	copy(c.Data(), normals(6, "c"))
	for i := range fork.Grads {
		fork.Grads[i], net.Grads[i] = 5, 5
	}
	run(t, g)
	want := make([]float64, used.Len)
	for i := range 3 {
		refMLP(used.Widths, ActNone, used.Of(net.Params), wide(x.Data()[2*i:2*i+2]), wide(c.Data()[2*i:2*i+2]), want)
	}
	near(t, "used", used.Of(fork.Grads), want, 1e-6)
	sameBits(t, "unused", unused.Of(fork.Grads), make([]float32, unused.Len))
	for i, v := range net.Grads {
		if v != 5 {
			t.Fatalf("gradient %d of the original was written: %v", i, v)
		}
	}
}

// A gradient flows through frozen parameters and not into them, and an empty batch
// has a zero gradient.
func TestFrozen(t *testing.T) {
	var l Layout
	a, b := l.Linear("a", 2, 2, ActNone), l.Linear("b", 2, 2, ActNone)
	net := network(t, &l)
	g := NewGraph()
	rows := g.Extent(3)
	x, c := g.Input("x", rows, 2), g.Input("c", rows, 2)
	y := apply(t, g, a.Op(), x, g.Param(net, a.Segment))
	loss := apply(t, g, dotLoss{}, apply(t, g, b.Op(), y, g.Frozen(net, b.Segment)), c)
	compile(t, g, loss)
	copy(x.Data(), normals(6, "x"))
	copy(c.Data(), normals(6, "c"))
	run(t, g)
	want := make([]float64, len(net.Params))
	for i := range 3 {
		xi, ci := wide(x.Data()[2*i:2*i+2]), wide(c.Data()[2*i:2*i+2])
		yi, _ := refMLP(a.Widths, ActNone, a.Of(net.Params), xi, ci, make([]float64, a.Len))
		_, dy := refMLP(b.Widths, ActNone, b.Of(net.Params), yi, ci, make([]float64, b.Len))
		refMLP(a.Widths, ActNone, a.Of(net.Params), xi, dy, want[:a.Len])
	}
	near(t, "gradients", net.Grads, want, 1e-5)
	rows.N = 0
	run(t, g)
	sameBits(t, "gradients of no rows", net.Grads, make([]float32, len(net.Grads)))
	if got := loss.Data()[0]; got != 0 {
		t.Errorf("loss of no rows %v", got)
	}
}
