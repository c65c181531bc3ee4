//go:build amd64 && !purego

package kernel

import "unsafe"

// A product is cut three ways. The columns of B are copied into panels of 16,
// zero-padded. A kernel reads a panel from the first byte to the last. Rows are
// taken six at a time, the tallest block whose sums fit in registers. The inner
// dimension is cut so that a panel stays in the first-level cache. The sums of
// a later piece of the inner dimension start from C, which continues the chain
// of multiply-adds where the earlier piece left it.
const (
	panelWidth = 16  // columns of a panel
	tileRows   = 6   // rows of the tallest kernel
	innerBlock = 256 // steps of the inner dimension at a time: 16 KiB of a panel
	rowBlock   = 192 // rows that go through all panels before the next ones
	fewRows    = 3   // up to here a kernel can take several panels at once
)

// job is one product of a row block with a piece of the inner dimension. a0 and
// c0 belong to the whole product, a and c to the piece. Strides are in bytes.
type job struct {
	op         Op
	wide       bool           // run the kernels of AVX-512
	a0, a      unsafe.Pointer // element (i,l) of A is at a + i*aRow + l*aCol
	aRow, aCol int
	b          unsafe.Pointer // row l of panel j is at b + l*bRow + j*bPanel
	bRow       int            // the kernels of AVX2 take it to be that of a packed panel
	bPanel     int
	c0, c      unsafe.Pointer // element (i,j) of C is at c + i*cRow + 4*j
	cRow       int
	n, k       int // columns of C, steps of the inner dimension
	acc        int // 1 to start from C
	bias       unsafe.Pointer
	act        int
	pairs      int // 1 if A and B hold pairs of bf16
}

// newJob describes the left operand and C of a whole product.
func newJob(op Op, a []float32, lda, n int, acc bool, c []float32, ldc int) job {
	p := job{op: op, a0: pointerTo(a), aRow: 4 * lda, aCol: 4, c0: pointerTo(c), cRow: 4 * ldc, n: n}
	if op == TN {
		p.aRow, p.aCol = 4, 4*lda
	}
	if acc {
		p.acc = 1
	}
	return p
}

// move goes to row i of C and step l of the inner dimension.
func (p *job) move(i, l int) {
	p.a = unsafe.Add(p.a0, i*p.aRow+l*p.aCol)
	p.c = unsafe.Add(p.c0, i*p.cRow)
}

func pointerTo(x []float32) unsafe.Pointer { return unsafe.Pointer(first(x)) }

// panelCount returns the number of panels that n columns fill.
func panelCount(n int) int { return (n + panelWidth - 1) / panelWidth }

func (v avx2) gemm(op Op, m, n, k int, a []float32, lda int, b []float32, ldb int, acc bool, c []float32, ldc int, s *Scratch) {
	p := newJob(op, a, lda, n, acc, c, ldc)
	v.product(&p, m, k, b, ldb, s)
}

// product packs the right operand piece by piece and multiplies.
func (avx2) product(p *job, m, k int, b []float32, ldb int, s *Scratch) {
	for l := 0; l < k; l += innerBlock {
		kb := min(innerBlock, k-l)
		skip := l * ldb
		if p.op == NT {
			skip = l
		}
		buf := growAligned(&s.b, panelCount(p.n)*panelWidth*kb)
		packPanels(p.op == NT, kb, p.n, b[skip:], ldb, buf)
		p.k, p.b, p.bRow, p.bPanel = kb, pointerTo(buf), 4*panelWidth, 4*panelWidth*kb
		p.rows(m, l)
	}
}

func (avx2) gemmPacked(m int, a []float32, lda int, b *Packed, acc bool, bias []float32, act Act, c []float32, ldc int) {
	p := newJob(NN, a, lda, b.N, acc, c, ldc)
	p.packed(m, b, bias, act)
}

// packed computes the product of m rows with a packed operand.
func (p *job) packed(m int, b *Packed, bias []float32, act Act) {
	steps := b.steps()
	p.bRow, p.bPanel = 4*panelWidth, 4*panelWidth*steps
	for l := 0; l < steps; l += innerBlock {
		p.k, p.b = min(innerBlock, steps-l), unsafe.Add(pointerTo(b.buf), 4*panelWidth*l)
		if l+p.k == steps {
			p.bias, p.act = pointerTo(bias), int(act)
		}
		p.rows(m, l)
	}
}

// rows runs m rows of A through a piece of the inner dimension that starts at
// step l. The next piece starts from C.
func (p *job) rows(m, l int) {
	for i := 0; i < m; i += rowBlock {
		p.move(i, l)
		if rows := min(rowBlock, m-i); p.wide {
			p.multiplyWide(rows)
		} else {
			p.multiply(rows)
		}
	}
	p.acc = 1
}

// multiply computes m rows of C. Up to fewRows rows take several panels at
// once; see the generator for why.
func (p *job) multiply(m int) {
	full, j := p.n/panelWidth, 0
	if m <= fewRows {
		for _, wide := range wideTiles[m] {
			for ; wide > 0 && j+wide <= full; j += wide {
				p.block(m, wide, 1, 0, j)
			}
		}
	}
	for ; j < panelCount(p.n); j++ {
		p.column(m, j)
	}
}

// wideTiles holds, for one, two and three rows, the panels that a kernel takes
// at once.
var wideTiles = [fewRows + 1][2]int{1: {4, 2}, 2: {3, 2}, 3: {2}}

// column computes panel j of m rows, in blocks of six and, where m is not a
// multiple, one or two lower ones of at least three rows if there are that
// many.
func (p *job) column(m, j int) {
	sixes, rest := m/tileRows, m%tileRows
	if rest > 0 && rest < 4 && sixes > 0 {
		sixes--
		rest += tileRows
	}
	if sixes > 0 {
		p.block(tileRows, 1, sixes, 0, j)
	}
	if rest > tileRows {
		upper := (rest + 1) / 2
		p.block(upper, 1, 1, m-rest, j)
		rest -= upper
	}
	if rest > 0 {
		p.block(rest, 1, 1, m-rest, j)
	}
}

// at returns what the kernels need for the block at row i of panel j.
func (p *job) at(i, j int) (a, b, c, bias *float32) {
	if p.bias != nil {
		bias = (*float32)(unsafe.Add(p.bias, 4*panelWidth*j))
	}
	return (*float32)(unsafe.Add(p.a, i*p.aRow)), (*float32)(unsafe.Add(p.b, j*p.bPanel)),
		(*float32)(unsafe.Add(p.c, i*p.cRow+4*panelWidth*j)), bias
}

// tile is a kernel for some rows of A and some panels of B. It runs count times, each
// time on the rows below. bPanel is for kernels of several panels.
type tile func(count, k int, a *float32, aRow, aCol int, b *float32, bPanel int, c *float32, cRow, cols, acc int, bias *float32, act, pairs int)

// tiles are the kernels by panels and rows.
var tiles = [...][tileRows + 1]tile{
	1: {1: tile1x16, 2: tile2x16, 3: tile3x16, 4: tile4x16, 5: tile5x16, 6: tile6x16},
	2: {1: tile1x32, 2: tile2x32, 3: tile3x32},
	3: {2: tile2x48},
	4: {1: tile1x64},
}

// block runs the kernel of the given height and number of panels count times down
// from row i and panel j.
func (p *job) block(height, wide, count, i, j int) {
	a, b, c, bias := p.at(i, j)
	cols := min(panelWidth, p.n-panelWidth*(j+wide-1))
	tiles[wide][height](count, p.k, a, p.aRow, p.aCol, b, p.bPanel, c, p.cRow, cols, p.acc, bias, p.act, p.pairs)
}

func (avx2) fma(rounds int) float64 {
	fmaLoop(rounds)
	return 12 * 8 * 2 * float64(rounds)
}
