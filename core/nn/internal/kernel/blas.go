package kernel

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// BLAS is gonum's implementation with the single-precision matrix product
// replaced by [Gemm]. gorgonia.Use(kernel.BLAS{}) gives it to stock graph
// nodes. It is safe for concurrent use.
type BLAS struct{ gonum.Implementation }

// blasWork is the memory of one call of [BLAS.Sgemm].
type blasWork struct {
	scratch Scratch
	a       []float32
}

var blasPool = sync.Pool{New: func() any { return new(blasWork) }}

// Sgemm computes C = alpha op(A) op(B) + beta C on row-major matrices. With
// beta = 0 the old content of C is ignored, NaN included.
func (BLAS) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	needMatrix("Sgemm", "C", m, n, ldc, len(c))
	if beta != 1 {
		for i := range m {
			if row := c[i*ldc : i*ldc+n]; beta == 0 {
				clear(row)
			} else {
				Scale(row, beta)
			}
		}
	}
	if alpha == 0 || m == 0 || n == 0 || k == 0 {
		return
	}
	w := blasPool.Get().(*blasWork)
	defer blasPool.Put(w)
	op := NN
	switch {
	case tA != blas.NoTrans && tB != blas.NoTrans:
		needMatrix("Sgemm", "A", k, m, lda, len(a))
		t := grow(&w.a, m*k)
		transpose(k, m, a, lda, t)
		a, lda, op = t, k, NT
	case tA != blas.NoTrans:
		op = TN
	case tB != blas.NoTrans:
		op = NT
	}
	if alpha != 1 {
		a, lda = scaled(op, m, k, alpha, a, lda, w)
	}
	Gemm(op, m, n, k, a, lda, b, ldb, beta != 0, c, ldc, &w.scratch)
}

// scaled returns alpha times the left operand, densely stored in w.a.
func scaled(op Op, m, k int, alpha float32, a []float32, lda int, w *blasWork) ([]float32, int) {
	rows, cols := m, k
	if op == TN {
		rows, cols = k, m
	}
	needMatrix("Sgemm", "A", rows, cols, lda, len(a))
	t := grow(&w.a, rows*cols)
	for i := range rows {
		copy(t[i*cols:(i+1)*cols], a[i*lda:i*lda+cols])
	}
	Scale(t, alpha)
	return t, cols
}
