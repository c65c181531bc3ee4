//go:build amd64 && !purego

package kernel

import "unsafe"

// tallRows is the number of rows of the tallest AVX-512 kernel.
const tallRows = 12

// gemm reads a right operand that is not transposed where it lies: with a panel
// one register wide the kernels need no padding, and what is left of the last
// panel they mask.
func (w avx512) gemm(op Op, m, n, k int, a []float32, lda int, b []float32, ldb int, acc bool, c []float32, ldc int, s *Scratch) {
	p := newJob(op, a, lda, n, acc, c, ldc)
	p.wide = true
	if op == NT {
		w.avx2.product(&p, m, k, b, ldb, s)
		return
	}
	p.bRow, p.bPanel = 4*ldb, 4*panelWidth
	for l := 0; l < k; l += innerBlock {
		p.k, p.b = min(innerBlock, k-l), unsafe.Add(pointerTo(b), l*p.bRow)
		p.rows(m, l)
	}
}

func (avx512) gemmPacked(m int, a []float32, lda int, b *Packed, acc bool, bias []float32, act Act, c []float32, ldc int) {
	p := newJob(NN, a, lda, b.N, acc, c, ldc)
	p.wide = true
	p.packed(m, b, bias, act)
}

// multiplyWide computes m rows of C, several panels at a time.
func (p *job) multiplyWide(m int) {
	panels, j := panelCount(p.n), 0
	for m == 1 && j+8 <= panels {
		p.blockWide(1, 8, 1, 0, j)
		j += 8
	}
	for m <= fewRows && j+4 <= panels {
		p.blockWide(m, 4, 1, 0, j)
		j += 4
	}
	for j < panels {
		wide := min(2, panels-j)
		p.columnWide(m, wide, j)
		j += wide
	}
}

// columnWide computes one or two panels of m rows: in blocks of twelve, the
// rest as one block of at most six rows or two of about the same height.
func (p *job) columnWide(m, wide, j int) {
	tall, rest := m/tallRows, m%tallRows
	if tall > 0 {
		p.blockWide(tallRows, wide, tall, 0, j)
	}
	if rest > tileRows {
		upper := (rest + 1) / 2
		p.blockWide(upper, wide, 1, m-rest, j)
		rest -= upper
	}
	if rest > 0 {
		p.blockWide(rest, wide, 1, m-rest, j)
	}
}

type wideTile func(count, k int, a *float32, aRow, aCol int, b *float32, bRow, bPanel int, c *float32, cRow, mask, acc int, bias *float32, act, pairs int)

// tilesWide are the kernels by panels and rows.
var tilesWide = [...][tallRows + 1]wideTile{
	1: {1: wide1x16, 2: wide2x16, 3: wide3x16, 4: wide4x16, 5: wide5x16, 6: wide6x16, tallRows: wide12x16},
	2: {1: wide1x32, 2: wide2x32, 3: wide3x32, 4: wide4x32, 5: wide5x32, 6: wide6x32, tallRows: wide12x32},
	4: {1: wide1x64, 2: wide2x64, 3: wide3x64},
	8: {1: wide1x128},
}

// blockWide runs the kernel of the given height and number of panels count
// times down from row i and panel j.
func (p *job) blockWide(height, wide, count, i, j int) {
	a, b, c, bias := p.at(i, j)
	mask := 1<<min(panelWidth, p.n-panelWidth*(j+wide-1)) - 1
	tilesWide[wide][height](count, p.k, a, p.aRow, p.aCol, b, p.bRow, p.bPanel, c, p.cRow, mask, p.acc, bias, p.act, p.pairs)
}

func (avx512) fma(rounds int) float64 {
	fmaLoop512(rounds)
	return 12 * 16 * 2 * float64(rounds)
}
