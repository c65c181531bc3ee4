package kernel

import "gonum.org/v1/gonum/blas/gonum"

// pure is the path in plain Go. Its products are built from gonum's axpy,
// whose rounding is the same for every element; like it, they skip zeros of A,
// so that a zero there hides an infinity or NaN in B.
type pure struct{}

func (pure) name() string { return "purego" }

func (pure) gemm(op Op, m, n, k int, a []float32, lda int, b []float32, ldb int, acc bool, c []float32, ldc int, s *Scratch) {
	rowStride, colStride := lda, 1
	switch op {
	case NT:
		t := grow(&s.b, k*n)
		transpose(n, k, b, ldb, t)
		b, ldb = t, n
	case TN:
		rowStride, colStride = 1, lda
	}
	var blas gonum.Implementation
	for i := range m {
		row := c[i*ldc : i*ldc+n]
		if !acc {
			clear(row)
		}
		for l := range k {
			blas.Saxpy(n, a[i*rowStride+l*colStride], b[l*ldb:l*ldb+n], 1, row, 1)
		}
	}
}

func (pure) pack(p *Packed, trans bool, b []float32, ldb int) {
	buf := grow(&p.buf, p.K*p.N)
	if trans {
		transpose(p.N, p.K, b, ldb, buf)
		return
	}
	for l := range p.K {
		copy(buf[l*p.N:(l+1)*p.N], b[l*ldb:])
	}
}

func (u pure) gemmPacked(m int, a []float32, lda int, p *Packed, acc bool, bias []float32, act Act, c []float32, ldc int) {
	u.gemm(NN, m, p.N, p.K, a, lda, p.buf, p.N, acc, c, ldc, nil)
	if bias != nil || act != ActNone {
		u.biasAct(m, p.N, c, ldc, bias, act)
	}
}

// transpose writes the transpose of the [rows,cols] matrix x densely to dst.
func transpose(rows, cols int, x []float32, ld int, dst []float32) {
	for i := range rows {
		for j, v := range x[i*ld : i*ld+cols] {
			dst[j*rows+i] = v
		}
	}
}

// fma repeats the loop that the products are made of on data in the first-level
// cache.
func (pure) fma(rounds int) float64 {
	const n = 256
	var x, y [n]float32
	var blas gonum.Implementation
	for range rounds {
		blas.Saxpy(n, 0.5, x[:], 1, y[:], 1)
	}
	return 2 * n * float64(rounds)
}
