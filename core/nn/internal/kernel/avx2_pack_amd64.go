//go:build amd64 && !purego

package kernel

func (avx2) pack(p *Packed, trans bool, b []float32, ldb int) {
	packPanels(trans, p.K, p.N, b, ldb, growAligned(&p.buf, panelCount(p.N)*panelWidth*p.K))
}

// growAligned is grow for panels: they start at a cache line, so that no row of
// a panel lies in two.
func growAligned(buf *[]float32, n int) []float32 {
	const line = 64
	x := grow(buf, n)
	if uintptr(pointerTo(x))%line == 0 {
		return x
	}
	x = grow(buf, n+line/4)
	skip := -uintptr(pointerTo(x)) % line / 4
	*buf = x[skip : int(skip)+n]
	return *buf
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

// packTransposed fills a panel from cols rows of k elements: where there are
// eight rows, eight elements at a time.
func packTransposed(k, cols int, b []float32, ldb int, panel []float32) {
	for col := 0; col < panelWidth; col += 8 {
		rows, done := min(8, cols-col), 0
		if rows <= 0 {
			packEdge(k, 0, &b[0], 0, &panel[col])
			continue
		}
		src := b[col*ldb:]
		if rows == 8 && k >= 8 {
			packCols(k/8, &src[0], 4*ldb, &panel[col])
			done = k / 8 * 8
		}
		if done < k {
			packEdge(k-done, rows, &src[done], 4*ldb, &panel[done*panelWidth+col])
		}
	}
}
