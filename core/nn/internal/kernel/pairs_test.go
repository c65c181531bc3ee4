package kernel

import (
	"fmt"
	"math"
	"testing"
)

// corners are bits of floats that rounding and sums treat in special ways.
var corners = []uint32{0, 1, 0x007fffff, 0x00800000, 0x00800001, 0x3f800000, 0x3f808000, 0x3f818000, 0x3f80ffff,
	0x7f7f0000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7f8fffff, 0x7fc0dead, 0x7fffffff, 0x1f800000, 0x20000000, 0x5f800000}

// odds returns n floats: noise, bits of any kind, values near the smallest normal
// one, and corners, by kind.
func odds(n, kind int, seed uint64) []float32 {
	x := noise(n, seed)
	for i := range x {
		u := uint32(int64(float64(x[i]) * (1 << 31)))
		switch kind {
		case 1:
			x[i] = math.Float32frombits(u)
		case 2: // products reach down to the smallest normal float
			x[i] = math.Float32frombits(u&0x80ffffff | (62+u>>24&3)<<23)
		case 3:
			x[i] = math.Float32frombits(corners[int(u>>8)%len(corners)] | u&0x80000000)
		}
	}
	return x
}

// pairProblem is one product in bf16 with its operands.
type pairProblem struct {
	m, n, k, gap int
	a, b, c      []float32 // A [m,k], B [k,n], C [m,n]
}

func newPairProblem(m, n, k, gap, kind int) pairProblem {
	seed := uint64(m*10007 + n*101 + k)
	p := pairProblem{m: m, n: n, k: k, gap: gap}
	p.a, p.b, p.c = odds(m*k, kind, seed), odds(k*n, kind, seed+1), odds(m*n, kind, seed+2)
	return p
}

// want computes C, or C + A B, pair by pair.
func (p pairProblem) want(acc bool) []float32 {
	c := make([]float32, p.m*p.n)
	for i := range p.m {
		for j := range p.n {
			sum := float32(0)
			if acc {
				sum = p.c[i*p.n+j]
			}
			for l := 0; l < p.k; l += 2 {
				var a1, b1 float32
				if l+1 < p.k {
					a1, b1 = p.a[i*p.k+l+1], p.b[(l+1)*p.n+j]
				}
				sum = dotPair(sum, pairOf(p.a[i*p.k+l], a1), pairOf(p.b[l*p.n+j], b1))
			}
			c[i*p.n+j] = sum
		}
	}
	return c
}

// solve computes the product in all ways that there are, on operands that f
// places, and compares the bits.
func (p pairProblem) solve(acc bool, place func([]float32) []float32) error {
	m, n, k := p.m, p.n, p.k
	want := padded(m, n, n+p.gap, p.want(acc))
	start := padded(m, n, n+p.gap, p.c)
	a, b := place(padded(m, k, k+p.gap, p.a)), place(padded(k, n, n+p.gap, p.b))
	at, bt := make([]float32, k*m), make([]float32, n*k)
	transpose(m, k, p.a, k, at)
	transpose(k, n, p.b, n, bt)
	at, bt = place(padded(k, m, m+p.gap, at)), place(padded(n, k, k+p.gap, bt))
	var s Scratch
	for what, f := range map[string]func(c []float32){
		"weight gradient": func(c []float32) { Gemm(TN|BF16, m, n, k, at, m+p.gap, b, n+p.gap, acc, c, n+p.gap, &s) },
		"product": func(c []float32) {
			Gemm(NN|BF16, m, n, k, a, k+p.gap, b, n+p.gap, acc, c, n+p.gap, &s)
		},
		"product transposed": func(c []float32) {
			Gemm(NT|BF16, m, n, k, a, k+p.gap, bt, k+p.gap, acc, c, n+p.gap, &s)
		},
		"packed": func(c []float32) {
			var pk Packed
			pk.PackBF16(false, k, n, b, n+p.gap)
			GemmPacked(m, a, k+p.gap, &pk, acc, c, n+p.gap, &s)
		},
		"packed transposed": func(c []float32) {
			var pk Packed
			pk.PackBF16(true, k, n, bt, k+p.gap)
			GemmPacked(m, a, k+p.gap, &pk, acc, c, n+p.gap, &s)
		},
	} {
		c := place(start)
		f(c)
		if err := sameBits(c, want); err != nil {
			return fmt.Errorf("%s %dx%dx%d gap=%d acc=%v: %w", what, m, n, k, p.gap, acc, err)
		}
	}
	return nil
}

// TestPairs compares every path with the sums of pairs in plain Go, to the bit:
// all heights and widths of kernels, odd inner dimensions, several pieces of
// them, and values of all kinds.
func TestPairs(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		kind := 0
		for _, m := range []int{1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 25} {
			for _, n := range []int{1, 7, 16, 17, 33, 48, 64, 65, 130} {
				for _, k := range []int{1, 2, 15, 16, 31, 33, 70} {
					for _, acc := range []bool{false, true} {
						kind++
						if err := newPairProblem(m, n, k, kind%3, kind%4).solve(acc, copied); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
		}
		for _, k := range []int{511, 512, 513, 1100} {
			if err := newPairProblem(14, 35, k, 1, 0).solve(k%2 == 0, copied); err != nil {
				t.Error(err)
			}
		}
		// Several blocks of rows.
		if err := newPairProblem(391, 34, 9, 1, 0).solve(true, copied); err != nil {
			t.Error(err)
		}
	})
}

func copied(x []float32) []float32 { return append([]float32(nil), x...) }

// TestPairsEpilogue checks that bias and activation come after the sum, in
// float32: flushing denormals ends with the sum.
func TestPairsEpilogue(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, n := range []int{5, 16, 40} {
			for _, m := range []int{1, 2, 3, 6, 13} {
				p := newPairProblem(m, n, 6, 0, 0)
				clear(p.a[:6]) // a row of zeros, so that the bias stays what it is
				bias := odds(n, 3, 9)
				for j := range bias {
					if bias[j] != bias[j] {
						bias[j] = math.Float32frombits(5)
					}
				}
				var pk Packed
				pk.PackBF16(false, p.k, n, p.b, n)
				for _, act := range []Act{ActNone, ActReLU, ActAbs} {
					got, want := make([]float32, m*n), p.want(false)
					BiasAct(m, n, want, n, bias, act)
					GemmBiasAct(m, p.a, p.k, &pk, bias, act, got, n, new(Scratch))
					if err := sameBits(got, want); err != nil {
						t.Fatalf("m=%d n=%d act=%d: %v", m, n, act, err)
					}
				}
			}
		}
	})
}

// TestToBF16 compares rounding with the definition, on every bf16 and what lies
// between it and the next.
func TestToBF16(t *testing.T) {
	for u := range uint32(1 << 16) {
		x := float64(math.Float32frombits(u << 16))
		switch next := float64(math.Float32frombits((u + 1) << 16)); {
		case u&0x7f80 == 0:
			for _, low := range []uint32{0, 1, 0xffff} {
				if got, want := toBF16(math.Float32frombits(u<<16|low)), u&0x8000; got != want {
					t.Fatalf("%#x rounds to %#x, want %#x", u<<16|low, got, want)
				}
			}
		case x != x || math.IsInf(x, 0) || math.IsInf(next, 0) || next != next:
		default:
			for low, up := range map[uint32]uint32{0: 0, 0x7fff: 0, 0x8000: u & 1, 0x8001: 1, 0xffff: 1} {
				if got, want := toBF16(math.Float32frombits(u<<16|low)), u+up; got != want {
					t.Fatalf("%#x rounds to %#x, want %#x", u<<16|low, got, want)
				}
			}
		}
	}
	for in, want := range map[uint32]uint32{0x7f800000: 0x7f80, 0x7f7fffff: 0x7f80, 0x7f7f7fff: 0x7f7f, 0xff800000: 0xff80, 0x7f800001: 0x7fc0, 0xffc0dead: 0xffc0} {
		if got := toBF16(math.Float32frombits(in)); got != want {
			t.Errorf("%#x rounds to %#x, want %#x", in, got, want)
		}
	}
}
