package nn

import (
	"fmt"
	"math"
	"testing"

	"macpro/core/rng"
)

// The reference: the same mathematics in float64 and plain loops, one row or
// one episode at a time, sharing no code with what is tested.

func refSigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// refMLP computes one row and the gradients of dy . y, which are added to dp
// (laid out like the segment) and returned for x.
func refMLP(widths []int, last Act, p []float32, x, dy, dp []float64) (y, dx []float64) {
	pre, post := [][]float64{nil}, [][]float64{x}
	at := []int{0}
	for l := 1; l < len(widths); l++ {
		in, out, off := widths[l-1], widths[l], at[l-1]
		a, h := make([]float64, out), make([]float64, out)
		for o := range out {
			a[o] = float64(p[off+in*out+o])
			for i := range in {
				a[o] += float64(p[off+o*in+i]) * post[l-1][i]
			}
			h[o] = refAct(l, len(widths), last, a[o])
		}
		pre, post, at = append(pre, a), append(post, h), append(at, off+in*out+out)
	}
	d := append([]float64(nil), dy...)
	for l := len(widths) - 1; l > 0; l-- {
		in, out, off := widths[l-1], widths[l], at[l-1]
		below := make([]float64, in)
		for o := range out {
			g := d[o] * refSlope(l, len(widths), last, pre[l][o])
			dp[off+in*out+o] += g
			for i := range in {
				dp[off+o*in+i] += g * post[l-1][i]
				below[i] += g * float64(p[off+o*in+i])
			}
		}
		d = below
	}
	return post[len(widths)-1], d
}

func refAct(l, n int, last Act, a float64) float64 {
	switch {
	case l < n-1 || last == ActReLU:
		return math.Max(a, 0)
	case last == ActAbs:
		return math.Abs(a)
	}
	return a
}

func refSlope(l, n int, last Act, a float64) float64 {
	switch {
	case l < n-1 || last == ActReLU:
		if a > 0 {
			return 1
		}
		return 0
	case last == ActAbs:
		if a < 0 {
			return -1
		}
	}
	return 1
}

// refGRU runs one sequence x[t] from a zero state and adds the gradients of
// sum_t dh[t] . h[t] to dp; it returns the states and the gradients of x.
func refGRU(in, h int, p []float32, x, dh [][]float64, dp []float64) (hs, dx [][]float64) {
	wi, wh, bi, bh := 0, 3*h*in, 3*h*in+3*h*h, 3*h*in+3*h*h+3*h
	w := func(i int) float64 { return float64(p[i]) }
	type step struct{ r, z, n, hn, prev []float64 }
	var tape []step
	prev := make([]float64, h)
	for t := range x {
		s := step{make([]float64, h), make([]float64, h), make([]float64, h), make([]float64, h), prev}
		next := make([]float64, h)
		for j := range h {
			var gx, gh [3]float64
			for k := range 3 {
				gx[k], gh[k] = w(bi+k*h+j), w(bh+k*h+j)
				for i := range in {
					gx[k] += w(wi+(k*h+j)*in+i) * x[t][i]
				}
				for i := range h {
					gh[k] += w(wh+(k*h+j)*h+i) * prev[i]
				}
			}
			s.r[j], s.z[j], s.hn[j] = refSigmoid(gx[0]+gh[0]), refSigmoid(gx[1]+gh[1]), gh[2]
			s.n[j] = math.Tanh(gx[2] + s.r[j]*gh[2])
			next[j] = (1-s.z[j])*s.n[j] + s.z[j]*prev[j]
		}
		tape, hs, prev = append(tape, s), append(hs, next), next
		dx = append(dx, make([]float64, in))
	}
	carry := make([]float64, h)
	for t := len(x) - 1; t >= 0; t-- {
		s, below := tape[t], make([]float64, h)
		for j := range h {
			d := dh[t][j] + carry[j]
			below[j] += d * s.z[j]
			dn := d * (1 - s.z[j]) * (1 - s.n[j]*s.n[j])
			dz := d * (s.prev[j] - s.n[j]) * s.z[j] * (1 - s.z[j])
			dr := dn * s.hn[j] * s.r[j] * (1 - s.r[j])
			for k, g := range [3][2]float64{{dr, dr}, {dz, dz}, {dn, dn * s.r[j]}} {
				dp[bi+k*h+j] += g[0]
				dp[bh+k*h+j] += g[1]
				for i := range in {
					dp[wi+(k*h+j)*in+i] += g[0] * x[t][i]
					dx[t][i] += g[0] * w(wi+(k*h+j)*in+i)
				}
				for i := range h {
					dp[wh+(k*h+j)*h+i] += g[1] * s.prev[i]
					below[i] += g[1] * w(wh+(k*h+j)*h+i)
				}
			}
		}
		carry = below
	}
	return hs, dx
}

// near fails unless every element is within tol of the reference, relative to
// the largest element of the reference.
func near(t *testing.T, what string, got []float32, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	scale := 1e-6
	for _, w := range want {
		scale = math.Max(scale, math.Abs(w))
	}
	for i, w := range want {
		if d := math.Abs(float64(got[i]) - w); !(d <= tol*scale) {
			t.Fatalf("%s: element %d is %v, want %v (scale %v)", what, i, got[i], w, scale)
		}
	}
}

// sameBits fails unless the slices are equal bit for bit.
func sameBits(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s: element %d is %v, want the bits of %v", what, i, got[i], want[i])
		}
	}
}

// normals returns n standard normal numbers of the stream called name.
func normals(n int, name string) []float32 {
	x, s := make([]float32, n), rng.New(7).Child(name).Stream()
	for i := range x {
		x[i] = float32(s.Norm())
	}
	return x
}

func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// network makes a network of the layout with parameters drawn from a fixed seed.
func network(t testing.TB, l *Layout) *Network {
	t.Helper()
	net, err := NewNetwork(l)
	if err != nil {
		t.Fatal(err)
	}
	net.Init(rng.New(3).Stream())
	return net
}

// apply adds an operation to a graph or ends the test.
func apply(t testing.TB, g *Graph, f Fused, in ...*Value) *Value {
	t.Helper()
	v, err := g.Apply(f, in...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func compile(t testing.TB, g *Graph, loss *Value) {
	t.Helper()
	if err := g.Compile(loss); err != nil {
		t.Fatal(err)
	}
}

func run(t testing.TB, g *Graph) {
	t.Helper()
	if err := g.Run(); err != nil {
		t.Fatal(err)
	}
}

// dotLoss is the scalar sum_ij c_ij x_ij of inputs x and c, a loss whose
// gradient with respect to x is c.
type dotLoss struct{}

func (dotLoss) Name() string         { return "dot loss" }
func (dotLoss) NeedsGrad(i int) bool { return i == 0 }

func (dotLoss) Out(ext []*Extent, width []int) (*Extent, int, error) {
	if len(ext) != 2 || ext[0] != ext[1] || width[0] != width[1] {
		return nil, 0, fmt.Errorf("inputs of widths %v differ", width)
	}
	return nil, 1, nil
}

func (dotLoss) Forward(in []Mat, out Mat) error {
	out.Data[0] = float32(Dot(in[0].Data, in[1].Data))
	return nil
}

func (dotLoss) Backward(in []Mat, _, dOut Mat, dIn []Mat) error {
	copy(dIn[0].Data, in[1].Data)
	Scale(dIn[0].Data, dOut.Data[0])
	return nil
}
