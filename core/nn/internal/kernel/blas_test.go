package kernel

import (
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// The four interfaces that gorgonia.Use asks for.
var _ interface {
	blas.Float32
	blas.Float64
	blas.Complex64
	blas.Complex128
} = BLAS{}

func TestSgemmAgainstGonum(t *testing.T) {
	type shape struct{ m, n, k int }
	eachPath(t, func(t *testing.T) {
		for _, s := range []shape{{1, 1, 1}, {3, 5, 7}, {17, 16, 33}, {40, 35, 20}, {0, 3, 2}} {
			for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
				for _, tB := range []blas.Transpose{blas.NoTrans, blas.Trans} {
					for _, alpha := range []float32{0, 1, -0.5} {
						for _, beta := range []float32{0, 1, 2} {
							ar, ac, br, bc := s.m, s.k, s.k, s.n
							if tA == blas.Trans {
								ar, ac = ac, ar
							}
							if tB == blas.Trans {
								br, bc = bc, br
							}
							lda, ldb, ldc := max(ac, 1)+1, max(bc, 1)+2, max(s.n, 1)+3
							a, b := padded(ar, ac, lda, noise(ar*ac, 1)), padded(br, bc, ldb, noise(br*bc, 2))
							got := padded(s.m, s.n, ldc, noise(s.m*s.n, 3))
							want := append([]float32(nil), got...)
							BLAS{}.Sgemm(tA, tB, s.m, s.n, s.k, alpha, a, lda, b, ldb, beta, got, ldc)
							gonum.Implementation{}.Sgemm(tA, tB, s.m, s.n, s.k, alpha, a, lda, b, ldb, beta, want, ldc)
							for i := range s.m {
								if err := near(got[i*ldc:][:s.n], widen(want[i*ldc:][:s.n]), 1e-5); err != nil {
									t.Fatalf("%v tA=%c tB=%c alpha=%v beta=%v: row %d: %v", s, tA, tB, alpha, beta, i, err)
								}
							}
							if err := gapsIntact(s.m, s.n, ldc, got); err != nil {
								t.Fatal(err)
							}
						}
					}
				}
			}
		}
	})
}

// TestSgemmEmptyInner checks that k = 0 leaves beta C.
func TestSgemmEmptyInner(t *testing.T) {
	c := []float32{1, 2}
	BLAS{}.Sgemm(blas.NoTrans, blas.NoTrans, 1, 2, 0, 1, nil, 1, nil, 2, 3, c, 2)
	if err := sameBits(c, []float32{3, 6}); err != nil {
		t.Error(err)
	}
}

// TestSgemmIgnoresOldC checks that beta = 0 overwrites even NaN.
func TestSgemmIgnoresOldC(t *testing.T) {
	c := []float32{poison}
	BLAS{}.Sgemm(blas.NoTrans, blas.NoTrans, 1, 1, 1, 1, []float32{2}, 1, []float32{3}, 1, 0, c, 1)
	if c[0] != 6 {
		t.Errorf("C is %v, want 6", c[0])
	}
}
