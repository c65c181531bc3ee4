package stock

import (
	"math"
	"testing"

	"macpro/core/nn"
)

// Each element-wise node is checked in value and gradient on a parameter p:
// the loss is sum(c * f(p)).
func TestElementwise(t *testing.T) {
	p, c := []float32{-1.5, -0.5, 0.25, 0.5, 1, 2}, []float32{1, -2, 3, 0.5, -1, 2}
	tests := map[string]struct {
		node func(*nn.Node) (*nn.Node, error)
		f    func(x float64) (y, dy float64)
	}{
		"Neg":     {Neg, func(x float64) (float64, float64) { return -x, -1 }},
		"Abs":     {Abs, func(x float64) (float64, float64) { return math.Abs(x), math.Copysign(1, x) }},
		"Square":  {Square, func(x float64) (float64, float64) { return x * x, 2 * x }},
		"Exp":     {Exp, func(x float64) (float64, float64) { return math.Exp(x), math.Exp(x) }},
		"Tanh":    {Tanh, func(x float64) (float64, float64) { y := math.Tanh(x); return y, 1 - y*y }},
		"Sigmoid": {Sigmoid, func(x float64) (float64, float64) { y := 1 / (1 + math.Exp(-x)); return y, y * (1 - y) }},
		"ReLU": {ReLU, func(x float64) (float64, float64) {
			if x > 0 {
				return x, 1
			}
			return 0, 0
		}},
		"Log of the square": {func(a *nn.Node) (*nn.Node, error) {
			s, err := Square(a)
			if err != nil {
				return nil, err
			}
			return Log(s)
		}, func(x float64) (float64, float64) { return math.Log(x * x), 2 / x }},
		"twice and one less": {func(a *nn.Node) (*nn.Node, error) {
			s, err := Add(a, a)
			if err != nil {
				return nil, err
			}
			return Sub(s, Constant(1))
		}, func(x float64) (float64, float64) { return 2*x - 1, 2 }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			want, wantGrad := 0.0, make([]float64, len(p))
			for i, x := range p {
				y, dy := test.f(float64(x))
				want += float64(c[i]) * y
				wantGrad[i] = float64(c[i]) * dy
			}
			check(t, []int{2, 3}, p, c, 3, test.node, want, wantGrad)
		})
	}
}

// check runs sum(c * node(p)) for a parameter p of the given shape and weights
// c of [rows, width].
func check(t *testing.T, shape []int, p, c []float32, width int, node func(*nn.Node) (*nn.Node, error), want float64, wantGrad []float64) {
	t.Helper()
	var l nn.Layout
	seg := l.Segment("s", nn.TensorSpec{Name: "p", Shape: shape})
	net, err := nn.NewNetwork(&l)
	if err != nil {
		t.Fatal(err)
	}
	copy(net.Params, p)
	must := func(n *nn.Node, err error) *nn.Node {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	g := nn.NewGraph()
	weights := g.Input("c", g.Extent(len(c)/width), width)
	copy(weights.Data(), c)
	y := must(node(must(g.ParamNode(net, seg, "p"))))
	loss, err := g.Wrap("loss", must(Sum(must(Hadamard(y, weights.Node())))), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Compile(loss); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second run must not see the first
		if err := g.Run(); err != nil {
			t.Fatal(err)
		}
		if got := float64(loss.Data()[0]); math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
			t.Fatalf("value %v, want %v", got, want)
		}
		for i, w := range wantGrad {
			if math.Abs(float64(net.Grads[i])-w) > 1e-4*(1+math.Abs(w)) {
				t.Fatalf("gradient %d is %v, want %v", i, net.Grads[i], w)
			}
		}
	}
}

func TestShapes(t *testing.T) {
	p := []float32{1, 2, 3, 4, 5, 6}
	t.Run("Transpose", func(t *testing.T) {
		check(t, []int{2, 3}, p, []float32{1, 2, 3, 4, 5, 6}, 2,
			func(a *nn.Node) (*nn.Node, error) { return Transpose(a, 1, 0) }, 1*1+4*2+2*3+5*4+3*5+6*6, []float64{1, 3, 5, 2, 4, 6})
	})
	t.Run("Concat", func(t *testing.T) {
		check(t, []int{1, 2}, p[:2], []float32{1, 2, 3, 4}, 4,
			func(a *nn.Node) (*nn.Node, error) { return Concat(1, a, a) }, 1*1+2*2+1*3+2*4, []float64{4, 6})
	})
	t.Run("MatMul and AddRow", func(t *testing.T) {
		check(t, []int{2, 2}, []float32{1, 2, 3, 4}, []float32{1, 0, 0, 0}, 2, func(a *nn.Node) (*nn.Node, error) {
			return MatMul(a, a)
		}, 1*1+2*3, []float64{2, 3, 2, 0})
		check(t, []int{1, 2}, []float32{1, 2}, []float32{1, 2, 3, 4}, 2, func(a *nn.Node) (*nn.Node, error) {
			twice, err := Concat(0, a, a)
			if err != nil {
				return nil, err
			}
			return AddRow(twice, a)
		}, 2*1+4*2+2*3+4*4, []float64{8, 12})
	})
	t.Run("Softmax", func(t *testing.T) {
		e := math.Exp(1.0)
		s := e / (1 + e)
		check(t, []int{1, 2}, []float32{1, 0}, []float32{1, 0}, 2,
			func(a *nn.Node) (*nn.Node, error) { return Softmax(a, 1) }, s, []float64{s * (1 - s), -s * (1 - s)})
	})
}
