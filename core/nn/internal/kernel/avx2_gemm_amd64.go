//go:build amd64 && !purego

package kernel

import "unsafe"

// A product is cut three ways. The columns of B are copied into panels of 16,
// zero-padded, which a kernel reads from the first byte to the last; rows are
// taken six at a time, the tallest block whose sums fit in registers; the inner
// dimension is cut so that a panel stays in the first-level cache. The sums of
// a later piece of the inner dimension start from C, which continues the chain
// of multiply-adds where the earlier piece left it.
const (
	panelWidth = 16
	tileRows   = 6
	innerBlock = 256
	rowBlock   = 192
	fewRows    = 3
)

// operand is a left operand: element (i,l) is at p + i*row + l*col, in bytes.
type operand struct {
	p        unsafe.Pointer
	row, col int
}

// at returns the operand from element (i,l) on.
func (a operand) at(i, l int) operand {
	a.p = unsafe.Add(a.p, i*a.row+l*a.col)
	return a
}

// panels is a packed right operand: panel j starts at p + j*size bytes and has
// one row of 64 bytes for each step of the inner dimension.
type panels struct {
	p    unsafe.Pointer
	size int
}

// result is C together with what happens to it.
type result struct {
	p     unsafe.Pointer
	row   int // bytes between rows
	acc   int // 1 to start from C
	bias  unsafe.Pointer
	act   int
	width int // columns of all of C
}

func pointerTo(x []float32) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x)) }

// panelCount returns the number of panels that n columns fill.
func panelCount(n int) int { return (n + panelWidth - 1) / panelWidth }

func (avx2) gemm(op Op, m, n, k int, a []float32, lda int, b []float32, ldb int, acc bool, c []float32, ldc int, s *Scratch) {
	left := operand{p: pointerTo(a), row: 4 * lda, col: 4}
	if op == TN {
		left.row, left.col = 4, 4*lda
	}
	out := result{p: pointerTo(c), row: 4 * ldc, width: n}
	if acc {
		out.acc = 1
	}
	for l := 0; l < k; l += innerBlock {
		kb := min(innerBlock, k-l)
		from := l * ldb
		if op == NT {
			from = l
		}
		buf := grow(&s.b, panelCount(n)*panelWidth*kb)
		packPanels(op == NT, kb, n, b[from:], ldb, buf)
		right := panels{p: pointerTo(buf), size: 4 * panelWidth * kb}
		for i := 0; i < m; i += rowBlock {
			multiply(min(rowBlock, m-i), kb, left.at(i, l), right, out.below(i))
		}
		out.acc = 1
	}
}

func (avx2) pack(p *Packed, trans bool, b []float32, ldb int) {
	packPanels(trans, p.K, p.N, b, ldb, grow(&p.buf, panelCount(p.N)*panelWidth*p.K))
}

func (avx2) gemmPacked(m int, a []float32, lda int, p *Packed, acc bool, bias []float32, act Act, c []float32, ldc int) {
	left := operand{p: pointerTo(a), row: 4 * lda, col: 4}
	whole := panels{p: pointerTo(p.buf), size: 4 * panelWidth * p.K}
	for i := 0; i < m; i += rowBlock {
		out := result{p: pointerTo(c), row: 4 * ldc, width: p.N}.below(i)
		if acc {
			out.acc = 1
		}
		for l := 0; l < p.K; l += innerBlock {
			kb := min(innerBlock, p.K-l)
			if l+kb == p.K {
				out.bias, out.act = pointerTo(bias), int(act)
			}
			right := panels{p: unsafe.Add(whole.p, 4*panelWidth*l), size: whole.size}
			multiply(min(rowBlock, m-i), kb, left.at(i, l), right, out)
			out.acc = 1
		}
	}
}

// below returns the result from row i on.
func (r result) below(i int) result {
	r.p = unsafe.Add(r.p, i*r.row)
	return r
}

// multiply computes m rows of C. Up to fewRows rows take several panels at
// once; see the generator for why.
func multiply(m, k int, a operand, b panels, c result) {
	full, j := c.width/panelWidth, 0
	if m <= fewRows {
		step := 2
		if m == 1 {
			step = 4
		}
		for ; j+step <= full; j += step {
			few(m, k, a, b, c, j)
		}
	}
	for ; j < panelCount(c.width); j++ {
		column(m, k, a, b, c, j)
	}
}

// column computes panel j of all m rows, in blocks of six and, where m is not
// a multiple, one or two lower ones of at least three rows if there are that
// many.
func column(m, k int, a operand, b panels, c result, j int) {
	sixes, rest := m/tileRows, m%tileRows
	if rest > 0 && rest < 4 && sixes > 0 {
		sixes--
		rest += tileRows
	}
	if sixes > 0 {
		block(tileRows, sixes, k, a, b, c, j)
		a, c = a.at(sixes*tileRows, 0), c.below(sixes*tileRows)
	}
	if rest > tileRows {
		upper := (rest + 1) / 2
		block(upper, 1, k, a, b, c, j)
		a, c, rest = a.at(upper, 0), c.below(upper), rest-upper
	}
	if rest > 0 {
		block(rest, 1, k, a, b, c, j)
	}
}

// block runs the kernel of the given height count times down panel j.
func block(height, count, k int, a operand, b panels, c result, j int) {
	cols := min(panelWidth, c.width-panelWidth*j)
	pa, pb := (*float32)(a.p), (*float32)(unsafe.Add(b.p, j*b.size))
	pc, bias := (*float32)(unsafe.Add(c.p, 4*panelWidth*j)), c.biasAt(j)
	const bRow = 4 * panelWidth
	switch height {
	case 1:
		tile1x16(count, k, pa, a.row, a.col, pb, bRow, 0, pc, c.row, cols, c.acc, bias, c.act)
	case 2:
		tile2x16(count, k, pa, a.row, a.col, pb, bRow, 0, pc, c.row, cols, c.acc, bias, c.act)
	case 3:
		tile3x16(count, k, pa, a.row, a.col, pb, bRow, 0, pc, c.row, cols, c.acc, bias, c.act)
	case 4:
		tile4x16(count, k, pa, a.row, a.col, pb, bRow, 0, pc, c.row, cols, c.acc, bias, c.act)
	case 5:
		tile5x16(count, k, pa, a.row, a.col, pb, bRow, 0, pc, c.row, cols, c.acc, bias, c.act)
	case 6:
		tile6x16(count, k, pa, a.row, a.col, pb, bRow, 0, pc, c.row, cols, c.acc, bias, c.act)
	}
}

// few runs the kernel for one, two or three rows on several full panels.
func few(m, k int, a operand, b panels, c result, j int) {
	pa, pb := (*float32)(a.p), (*float32)(unsafe.Add(b.p, j*b.size))
	pc, bias := (*float32)(unsafe.Add(c.p, 4*panelWidth*j)), c.biasAt(j)
	const bRow = 4 * panelWidth
	switch m {
	case 1:
		tile1x64(1, k, pa, a.row, a.col, pb, bRow, b.size, pc, c.row, panelWidth, c.acc, bias, c.act)
	case 2:
		tile2x32(1, k, pa, a.row, a.col, pb, bRow, b.size, pc, c.row, panelWidth, c.acc, bias, c.act)
	case 3:
		tile3x32(1, k, pa, a.row, a.col, pb, bRow, b.size, pc, c.row, panelWidth, c.acc, bias, c.act)
	}
}

// biasAt returns the bias of panel j, or nil.
func (r result) biasAt(j int) *float32 {
	if r.bias == nil {
		return nil
	}
	return (*float32)(unsafe.Add(r.bias, 4*panelWidth*j))
}

// packPanels copies a right operand of k rows and n columns, transposed in
// storage if trans is set, into panels.
func packPanels(trans bool, k, n int, b []float32, ldb int, dst []float32) {
	for j := 0; j < n; j += panelWidth {
		cols := min(panelWidth, n-j)
		panel := dst[j*k : (j+panelWidth)*k]
		if trans {
			packTransposed(k, cols, b[j*ldb:], ldb, panel)
		} else {
			packRows(k, cols, &b[j], 4*ldb, &panel[0])
		}
	}
}

// packTransposed fills a panel from cols rows of k elements: eight rows at a
// time by shuffles where there are eight, the rest one by one.
func packTransposed(k, cols int, b []float32, ldb int, panel []float32) {
	blocks := k / 8
	for col := 0; col < panelWidth; col += 8 {
		l := 0
		if col+8 <= cols && blocks > 0 {
			packCols(blocks, &b[col*ldb], 4*ldb, &panel[col])
			l = 8 * blocks
		}
		for ; l < k; l++ {
			for i := col; i < col+8; i++ {
				if i < cols {
					panel[l*panelWidth+i] = b[i*ldb+l]
				} else {
					panel[l*panelWidth+i] = 0
				}
			}
		}
	}
}

func (avx2) fma(rounds int) float64 {
	fmaLoop(rounds)
	return 12 * 8 * 2 * float64(rounds)
}
