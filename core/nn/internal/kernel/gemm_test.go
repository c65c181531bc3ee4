package kernel

import (
	"fmt"
	"math"
	"testing"
)

var opNames = map[Op]string{NN: "NN", NT: "NT", TN: "TN"}

// problem is one product with its operands stored as op wants them and its
// float64 solution.
type problem struct {
	op            Op
	m, n, k       int
	lda, ldb, ldc int
	a, b, c       []float32
	want, mag     []float64 // the product, and the sum of its terms' magnitudes
}

// newProblem fills a product with noise. gap is added to each leading
// dimension.
func newProblem(op Op, m, n, k, gap int, acc bool) *problem {
	ar, ac, br, bc := m, k, k, n
	switch op {
	case NT:
		br, bc = n, k
	case TN:
		ar, ac = k, m
	}
	a, b, c := noise(m*k, 1), noise(k*n, 2), noise(m*n, 3)
	p := &problem{op: op, m: m, n: n, k: k, lda: ac + gap, ldb: bc + gap, ldc: n + gap}
	p.a, p.b, p.c = padded(ar, ac, p.lda, a), padded(br, bc, p.ldb, b), padded(m, n, p.ldc, c)
	p.want, p.mag = make([]float64, m*n), make([]float64, m*n)
	for i := range m {
		for j := range n {
			var sum, mag float64
			if acc {
				sum, mag = float64(c[i*n+j]), math.Abs(float64(c[i*n+j]))
			}
			for l := range k {
				t := float64(p.left(i, l)) * float64(p.right(l, j))
				sum, mag = sum+t, mag+math.Abs(t)
			}
			p.want[i*n+j], p.mag[i*n+j] = sum, mag
		}
	}
	return p
}

// left is element (i,l) of op(A), right element (l,j) of op(B).
func (p *problem) left(i, l int) float32 {
	if p.op == TN {
		return p.a[l*p.lda+i]
	}
	return p.a[i*p.lda+l]
}

func (p *problem) right(l, j int) float32 {
	if p.op == NT {
		return p.b[j*p.ldb+l]
	}
	return p.b[l*p.ldb+j]
}

// check compares c with the solution. A chain of k roundings is off by at most
// k half units in the last place of the sum of magnitudes.
func (p *problem) check(c []float32) error {
	for i := range p.m {
		for j := range p.n {
			got, want := float64(c[i*p.ldc+j]), p.want[i*p.n+j]
			tol := float64(p.k+1) * 0x1p-23 * p.mag[i*p.n+j]
			if !(math.Abs(got-want) <= tol) {
				return fmt.Errorf("C[%d,%d] is %v, want %v", i, j, got, want)
			}
		}
	}
	return gapsIntact(p.m, p.n, p.ldc, c)
}

// solve runs Gemm and, where the left operand is not transposed, GemmPacked;
// both must agree to the bit.
func (p *problem) solve(acc bool) error {
	before := append([]float32(nil), p.c...)
	var s Scratch
	Gemm(p.op, p.m, p.n, p.k, p.a, p.lda, p.b, p.ldb, acc, p.c, p.ldc, &s)
	if err := p.check(p.c); err != nil {
		return err
	}
	if p.op == TN {
		return nil
	}
	var pk Packed
	pk.Pack(p.op == NT, p.k, p.n, p.b, p.ldb)
	GemmPacked(p.m, p.a, p.lda, &pk, acc, before, p.ldc, nil)
	if err := sameBits(before, p.c); err != nil {
		return fmt.Errorf("packed differs from unpacked: %w", err)
	}
	return nil
}

func TestGemmAgainstFloat64(t *testing.T) {
	sizes := []int{1, 2, 3, 5, 6, 7, 15, 16, 17, 31, 33, 64, 100, 192}
	if testing.Short() {
		sizes = []int{1, 3, 7, 16, 17, 33}
	}
	eachPath(t, func(t *testing.T) {
		for op := range opNames {
			for _, m := range sizes {
				for _, n := range sizes {
					for _, k := range sizes {
						if m*n*k > 400_000 {
							continue
						}
						acc, gap := (m+n+k)%2 == 0, (m+k)%3
						if err := newProblem(op, m, n, k, gap, acc).solve(acc); err != nil {
							t.Fatalf("%s m=%d n=%d k=%d gap=%d acc=%v: %v", opNames[op], m, n, k, gap, acc, err)
						}
					}
				}
			}
		}
	})
}

func TestGemmLongInner(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for op := range opNames {
			for _, k := range []int{255, 256, 257, 700, 2496} {
				for _, acc := range []bool{false, true} {
					if err := newProblem(op, 13, 35, k, 1, acc).solve(acc); err != nil {
						t.Errorf("%s k=%d acc=%v: %v", opNames[op], k, acc, err)
					}
				}
			}
		}
	})
}

func TestGemmEmpty(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		c := []float32{1, 2, 3, 4}
		Gemm(NN, 2, 2, 0, nil, 0, nil, 2, true, c, 2, new(Scratch))
		if err := sameBits(c, []float32{1, 2, 3, 4}); err != nil {
			t.Errorf("k=0 with acc: %v", err)
		}
		Gemm(NN, 2, 2, 0, nil, 0, nil, 2, false, c, 2, new(Scratch))
		if err := sameBits(c, make([]float32, 4)); err != nil {
			t.Errorf("k=0: %v", err)
		}
		Gemm(NT, 0, 2, 3, nil, 3, make([]float32, 6), 3, false, nil, 2, new(Scratch))
		var pk Packed
		pk.Pack(false, 0, 2, nil, 2)
		GemmBiasAct(2, nil, 0, &pk, []float32{-1, 5}, ActReLU, c, 2, nil)
		if err := sameBits(c, []float32{0, 5, 0, 5}); err != nil {
			t.Errorf("k=0 with bias: %v", err)
		}
	})
}

// TestGemmOneChain states the determinism contract: every element equals its
// own chain, computed alone.
func TestGemmOneChain(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		const m, n, k = 29, 43, 301
		whole := newProblem(NN, m, n, k, 0, false)
		var s Scratch
		Gemm(NN, m, n, k, whole.a, k, whole.b, n, false, whole.c, n, &s)
		var one [1]float32
		for i := range m {
			for j := range n {
				Gemm(NN, 1, 1, k, whole.a[i*k:], k, whole.b[j:], n, false, one[:], 1, &s)
				if one[0] != whole.c[i*n+j] {
					t.Fatalf("C[%d,%d] is %v alone and %v in the whole", i, j, one[0], whole.c[i*n+j])
				}
			}
		}
		at, bt := make([]float32, m*k), make([]float32, k*n)
		transpose(m, k, whole.a, k, at)
		transpose(k, n, whole.b, n, bt)
		c := make([]float32, m*n)
		Gemm(NT, m, n, k, whole.a, k, bt, k, false, c, n, &s)
		if err := sameBits(c, whole.c); err != nil {
			t.Errorf("NT against NN: %v", err)
		}
		Gemm(TN, m, n, k, at, m, whole.b, n, false, c, n, &s)
		if err := sameBits(c, whole.c); err != nil {
			t.Errorf("TN against NN: %v", err)
		}
	})
}

// TestGemmRowsAlone checks that small batches, which other kernels may serve,
// give the bits of a large one.
func TestGemmRowsAlone(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		const m, n, k = 200, 16*7 + 5, 40
		p := newProblem(NN, m, n, k, 0, false)
		var pk Packed
		pk.Pack(false, k, n, p.b, n)
		GemmPacked(m, p.a, k, &pk, false, p.c, n, nil)
		for rows := 1; rows < 14; rows++ {
			for i := 0; i+rows <= m; i += 37 {
				c := make([]float32, rows*n)
				GemmPacked(rows, p.a[i*k:], k, &pk, false, c, n, nil)
				if err := sameBits(c, p.c[i*n:(i+rows)*n]); err != nil {
					t.Fatalf("%d rows from row %d: %v", rows, i, err)
				}
			}
		}
	})
}

// TestGemmSplitChain checks that accumulating continues the chain: two halves
// of the inner dimension give the bits of the whole.
func TestGemmSplitChain(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		const m, n, k, cut = 9, 21, 80, 33
		for op := range opNames {
			p := newProblem(op, m, n, k, 0, false)
			var s Scratch
			Gemm(op, m, n, k, p.a, p.lda, p.b, p.ldb, false, p.c, n, &s)
			a2, b2 := cut, cut*n
			if op == TN {
				a2 = cut * m
			}
			if op == NT {
				b2 = cut
			}
			c := make([]float32, m*n)
			Gemm(op, m, n, cut, p.a, p.lda, p.b, p.ldb, false, c, n, &s)
			Gemm(op, m, n, k-cut, p.a[a2:], p.lda, p.b[b2:], p.ldb, true, c, n, &s)
			if err := sameBits(c, p.c); err != nil {
				t.Errorf("%s: %v", opNames[op], err)
			}
		}
	})
}

func TestGemmBiasActEqualsItsParts(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, n := range []int{1, 5, 16, 24, 64, 100} {
			for _, m := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 20} {
				for _, act := range []Act{ActNone, ActReLU, ActAbs} {
					for _, bias := range [][]float32{nil, noise(n, 4)} {
						p := newProblem(NN, m, n, 37, 2, false)
						want := append([]float32(nil), p.c...)
						var pk Packed
						pk.Pack(false, p.k, n, p.b, p.ldb)
						GemmPacked(m, p.a, p.lda, &pk, false, want, p.ldc, nil)
						BiasAct(m, n, want, p.ldc, bias, act)
						GemmBiasAct(m, p.a, p.lda, &pk, bias, act, p.c, p.ldc, nil)
						if err := sameBits(p.c, want); err != nil {
							t.Fatalf("m=%d n=%d act=%d bias=%v: %v", m, n, act, bias != nil, err)
						}
					}
				}
			}
		}
	})
}
