//go:build amd64 && !purego

package kernel

// pairing is products of bf16 operands. wide ones run on AVX512_BF16. The others
// have the same bits.
type pairing struct{ wide bool }

// rows rounds the [rows,k] matrix x in pairs along its rows.
func (p pairing) rows(rows, k int, x []float32, ld int, dst []float32) {
	half := 8 // of the floats that are taken at a time
	if p.wide {
		half = 16
	}
	full, rest := k/(2*half), k%(2*half)
	lo, hi := min(rest, half), max(rest-half, 0)
	if p.wide {
		pairAcross512(rows, full, lo, hi, pairCount(rest), &x[0], 4*ld, &dst[0], 4*pairCount(k))
	} else {
		pairAcross(rows, full, lo, hi, pairCount(rest), &x[0], 4*ld, &dst[0], 4*pairCount(k))
	}
}

// down rounds at most 16 columns of pairs of rows; the second of two rows has
// second columns.
func (p pairing) down(pairs, cols, second int, x []float32, ld int, dst []float32, row int) {
	if p.wide {
		pairDown512(pairs, cols, second, &x[0], 4*ld, &dst[0], 4*row)
	} else {
		pairDown(pairs, cols, second, &x[0], 4*ld, &dst[0], 4*row)
	}
}

// columns rounds the [k,n] matrix x in pairs down its columns. Panel j of the
// result starts at dst[j*panel], its rows are row floats apart.
func (p pairing) columns(k, n int, x []float32, ld int, dst []float32, panel, row int) {
	for j := 0; j < panelCount(n); j++ {
		cols, to := min(panelWidth, n-panelWidth*j), dst[j*panel:]
		if k > 1 {
			p.down(k/2, cols, cols, x[panelWidth*j:], ld, to, row)
		}
		if k%2 > 0 {
			p.down(1, cols, 0, x[(k-1)*ld+panelWidth*j:], ld, to[k/2*row:], row)
		}
	}
}

func (p pairing) pack(b *Packed, trans bool, x []float32, ld int) {
	steps := b.steps()
	buf := growAligned(&b.buf, panelCount(b.N)*panelWidth*steps)
	if !trans {
		p.columns(b.K, b.N, x, ld, buf, panelWidth*steps, panelWidth)
		return
	}
	words := grow(&b.words, b.N*steps)
	p.rows(b.N, b.K, x, ld, words)
	packPanels(true, steps, b.N, words, steps, buf)
}

// gemm rounds A a block of rows at a time, so that it stays in the cache.
func (p pairing) gemm(m int, a []float32, lda int, b *Packed, acc bool, bias []float32, act Act, c []float32, ldc int, s *Scratch) {
	steps := b.steps()
	for i := 0; i < m; i += rowBlock {
		rows := min(rowBlock, m-i)
		words := grow(&s.a, rows*steps)
		p.rows(rows, b.K, a[i*lda:], lda, words)
		j := newJob(NN, words, steps, b.N, acc, c[i*ldc:], ldc)
		j.pairs, j.wide = 1, p.wide
		j.packed(rows, b, bias, act)
	}
}

// grad rounds pieces of A and B along the inner dimension. Pieces are even, so
// that the pairs are those of the whole.
func (p pairing) grad(m, n, k int, a []float32, lda int, b []float32, ldb int, acc bool, c []float32, ldc int, s *Scratch) {
	const piece = 2 * innerBlock
	width := panelCount(m) * panelWidth
	for l := 0; l < k; l += piece {
		kb := min(piece, k-l)
		steps := pairCount(kb)
		left, right := growAligned(&s.a, width*steps), growAligned(&s.b, panelCount(n)*panelWidth*steps)
		p.columns(kb, m, a[l*lda:], lda, left, panelWidth, width)
		p.columns(kb, n, b[l*ldb:], ldb, right, panelWidth*steps, panelWidth)
		j := newJob(TN, left, width, n, acc || l > 0, c, ldc)
		j.pairs, j.wide = 1, p.wide
		j.k, j.b, j.bRow, j.bPanel = steps, pointerTo(right), 4*panelWidth, 4*panelWidth*steps
		j.rows(m, 0)
	}
}

func (avx2) bf16() BF16Means     { return BF16InAVX2 }
func (bf16Path) bf16() BF16Means { return BF16InProcessor }

func (avx2) packPairs(b *Packed, trans bool, x []float32, ld int) {
	pairing{}.pack(b, trans, x, ld)
}

func (avx2) gemmPairs(m int, a []float32, lda int, b *Packed, acc bool, bias []float32, act Act, c []float32, ldc int, s *Scratch) {
	pairing{}.gemm(m, a, lda, b, acc, bias, act, c, ldc, s)
}

func (avx2) gradPairs(m, n, k int, a []float32, lda int, b []float32, ldb int, acc bool, c []float32, ldc int, s *Scratch) {
	pairing{}.grad(m, n, k, a, lda, b, ldb, acc, c, ldc, s)
}

func (bf16Path) packPairs(b *Packed, trans bool, x []float32, ld int) {
	pairing{true}.pack(b, trans, x, ld)
}

func (bf16Path) gemmPairs(m int, a []float32, lda int, b *Packed, acc bool, bias []float32, act Act, c []float32, ldc int, s *Scratch) {
	pairing{true}.gemm(m, a, lda, b, acc, bias, act, c, ldc, s)
}

func (bf16Path) gradPairs(m, n, k int, a []float32, lda int, b []float32, ldb int, acc bool, c []float32, ldc int, s *Scratch) {
	pairing{true}.grad(m, n, k, a, lda, b, ldb, acc, c, ldc, s)
}
