package kernel

import (
	"fmt"
	"math"
	"testing"
)

// unary lists the functions of one slice with their float64 definitions and
// the largest relative error allowed.
var unary = []struct {
	name string
	f    func(dst, x []float32)
	ref  func(x float64) float64
	tol  float64
}{
	{"Exp", Exp, math.Exp, 2.4e-7},
	{"Tanh", Tanh, math.Tanh, 3.6e-7},
	{"Sigmoid", Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 4e-7},
	{"ELU", ELU, func(x float64) float64 {
		if x > 0 {
			return x
		}
		return math.Expm1(x)
	}, 2.4e-7},
	{"ReLU", ReLU, func(x float64) float64 { return max(x, 0) }, 0},
	{"Abs", Abs, math.Abs, 0},
}

// ramp returns numbers that cover [-90, 90] finely, and finer towards zero.
func ramp() []float32 {
	var x []float32
	for v := float32(-90); v <= 90; v += 1.0 / 512 {
		x = append(x, v)
	}
	for e := -140; e < 6; e++ {
		for m := 32; m < 64; m++ {
			v := float32(math.Ldexp(float64(m)/32, e))
			x = append(x, v, -v)
		}
	}
	return x
}

func TestUnaryAccuracy(t *testing.T) {
	x := ramp()
	eachPath(t, func(t *testing.T) {
		for _, c := range unary {
			y := make([]float32, len(x))
			c.f(y, x)
			worst, at := 0.0, float32(0)
			for i, v := range x {
				want := c.ref(float64(v))
				// What is below the smallest normal number may become zero.
				if float32(want) == y[i] || y[i] == 0 && math.Abs(want) < 0x1p-126 {
					continue
				}
				if e := math.Abs(float64(y[i])-want) / max(math.Abs(want), 0x1p-126); !(e <= worst) {
					worst, at = e, v
				}
			}
			t.Logf("%s: largest relative error %.2g at %v", c.name, worst, at)
			if !(worst <= c.tol) {
				t.Errorf("%s(%v) is off by %.3g relative, allowed %.3g", c.name, at, worst, c.tol)
			}
		}
	})
}

func TestUnarySpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	x := []float32{0, inf, -inf, nan, 1e30, -1e30, math.MaxFloat32, -math.MaxFloat32, 1e-45}
	want := map[string][]float32{
		"Exp":     {1, inf, 0, nan, inf, 0, inf, 0, 1},
		"Tanh":    {0, 1, -1, nan, 1, -1, 1, -1, 1e-45},
		"Sigmoid": {0.5, 1, 0, nan, 1, 0, 1, 0, 0.5},
		"ELU":     {0, inf, -1, nan, 1e30, -1, math.MaxFloat32, -1, 1e-45},
		"ReLU":    {0, inf, 0, nan, 1e30, 0, math.MaxFloat32, 0, 1e-45},
		"Abs":     {0, inf, inf, nan, 1e30, 1e30, math.MaxFloat32, math.MaxFloat32, 1e-45},
	}
	eachPath(t, func(t *testing.T) {
		for _, c := range unary {
			y := make([]float32, len(x))
			c.f(y, x)
			for i, w := range want[c.name] {
				if y[i] != w && !(w != w && y[i] != y[i]) {
					t.Errorf("%s(%v) = %v, want %v", c.name, x[i], y[i], w)
				}
			}
		}
	})
}

// elementwise lists every element-wise function as one of three slices, the
// first being written, so that tests can treat them alike.
var elementwise = []struct {
	name string
	f    func(dst, x, y []float32)
	ref  func(d, x, y float64) float64
}{
	{"Exp", func(d, x, _ []float32) { Exp(d, x) }, func(_, x, _ float64) float64 { return math.Exp(x) }},
	{"Tanh", func(d, x, _ []float32) { Tanh(d, x) }, func(_, x, _ float64) float64 { return math.Tanh(x) }},
	{"Sigmoid", func(d, x, _ []float32) { Sigmoid(d, x) }, func(_, x, _ float64) float64 { return unary[2].ref(x) }},
	{"ELU", func(d, x, _ []float32) { ELU(d, x) }, func(_, x, _ float64) float64 { return unary[3].ref(x) }},
	{"ReLU", func(d, x, _ []float32) { ReLU(d, x) }, func(_, x, _ float64) float64 { return max(x, 0) }},
	{"Abs", func(d, x, _ []float32) { Abs(d, x) }, func(_, x, _ float64) float64 { return math.Abs(x) }},
	{"ELUGrad", ELUGrad, func(_, y, dy float64) float64 { return dy * min(y+1, 1) }},
	{"ReLUGrad", ReLUGrad, func(_, y, dy float64) float64 { return pick(y > 0, dy, 0) }},
	{"AbsGrad", AbsGrad, func(_, x, dy float64) float64 { return pick(x > 0, dy, pick(x < 0, -dy, 0)) }},
	{"Add", func(d, x, _ []float32) { Add(d, x) }, func(d, x, _ float64) float64 { return d + x }},
	{"Sub", func(d, x, _ []float32) { Sub(d, x) }, func(d, x, _ float64) float64 { return d - x }},
	{"Mul", func(d, x, _ []float32) { Mul(d, x) }, func(d, x, _ float64) float64 { return d * x }},
	{"Axpy", func(d, x, _ []float32) { Axpy(d, -1.75, x) }, func(d, x, _ float64) float64 { return d - 1.75*x }},
	{"Scale", func(d, _, _ []float32) { Scale(d, 1.75) }, func(d, _, _ float64) float64 { return d * 1.75 }},
}

func pick(cond bool, yes, no float64) float64 {
	if cond {
		return yes
	}
	return no
}

// operands returns three vectors with some exact zeros.
func operands(n int) (d, x, y []float32) {
	d, x, y = noise(n, 1), noise(n, 2), noise(n, 3)
	for i := 3; i < n; i += 7 {
		x[i] = 0
	}
	return d, x, y
}

func TestElementwiseAgainstFloat64(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, c := range elementwise {
			d, x, y := operands(1003)
			want := make([]float64, len(d))
			for i := range want {
				want[i] = c.ref(float64(d[i]), float64(x[i]), float64(y[i]))
			}
			c.f(d, x, y)
			if err := near(d, want, 3e-7); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	})
}

// TestElementwisePosition checks that an element's value depends neither on
// where it lies nor on the length of the slice.
func TestElementwisePosition(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, c := range elementwise {
			whole, x, y := operands(64)
			before := append([]float32(nil), whole...)
			c.f(whole, x, y)
			for n := range 35 {
				for _, lo := range []int{0, 1, 5, 8, 29} {
					part := append([]float32(nil), before[lo:lo+n]...)
					c.f(part, x[lo:lo+n], y[lo:lo+n])
					if err := sameBits(part, whole[lo:lo+n]); err != nil {
						t.Fatalf("%s on %d elements from %d: %v", c.name, n, lo, err)
					}
				}
			}
		}
	})
}

func TestElementwiseInPlace(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, c := range elementwise {
			for alias := range 2 {
				dst, x, y := operands(29)
				if alias == 0 {
					copy(dst, x)
				} else {
					copy(dst, y)
				}
				want := append([]float32(nil), dst...)
				c.f(want, x, y)
				if alias == 0 {
					c.f(x, x, y)
					dst = x
				} else {
					c.f(y, x, y)
					dst = y
				}
				if err := sameBits(dst, want); err != nil {
					t.Errorf("%s with dst as argument %d: %v", c.name, alias+1, err)
				}
			}
		}
	})
}

func TestDotAndSumSq(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 3, 4, 15, 16, 17, 31, 33, 1000} {
			x, y := noise(n, 1), noise(n, 2)
			var dot, square float64
			for i := range x {
				dot += float64(x[i]) * float64(y[i])
				square += float64(x[i]) * float64(x[i])
			}
			if got := Dot(x, y); math.Abs(got-dot) > 1e-12 {
				t.Errorf("Dot of %d is %v, want %v", n, got, dot)
			}
			if got := SumSq(x); math.Abs(got-square) > 1e-12 {
				t.Errorf("SumSq of %d is %v, want %v", n, got, square)
			}
		}
	})
}

func TestLengthMismatchPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"Tanh": func() { Tanh(make([]float32, 3), make([]float32, 4)) },
		"Gemm": func() {
			Gemm(NN, 2, 2, 2, make([]float32, 3), 2, make([]float32, 4), 2, false, make([]float32, 4), 2, new(Scratch))
		},
		"Gemm ld": func() {
			Gemm(NT, 2, 2, 2, make([]float32, 4), 2, make([]float32, 4), 1, false, make([]float32, 4), 2, new(Scratch))
		},
		"BiasAct":     func() { BiasAct(1, 3, make([]float32, 3), 3, make([]float32, 2), ActNone) },
		"unknown act": func() { BiasAct(1, 1, make([]float32, 1), 1, nil, ActAbs+1) },
		"SoftmaxRows": func() { SoftmaxRows(2, 3, make([]float32, 5), 3) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if msg := fmt.Sprint(recover()); len(msg) < 20 {
					t.Errorf("panic says %q, want the function, the slice and the numbers", msg)
				}
			}()
			f()
			t.Error("no panic")
		})
	}
}
