package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// tiles512 lists the kernels of the AVX-512 path, whose panels are one register
// wide. 12 x 2 panels take 24 of the 32 registers for sums, two for B and one
// or two for A, and do 24 multiply-adds for 14 loads.
var tiles512 = []tile{
	{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {12, 1},
	{1, 2}, {2, 2}, {3, 2}, {4, 2}, {5, 2}, {6, 2}, {12, 2},
	{1, 4}, {2, 4}, {3, 4}, {1, 8},
}

// tile512Gen holds the registers of a kernel being generated. acc[i][p] is row
// i of panel p.
type tile512Gen struct {
	tile
	acc  [][]VecVirtual
	mask OpmaskVirtual // columns of the last panel
	c    Register
	cRow Register
}

// genTile512 emits the AVX-512 form of genTile. Row l of panel p of B is at
// b + l*bRow + p*bPanel, so that B is read where it lies as well as from
// panels. mask selects the columns of the last panel; what it leaves out is
// neither read nor written. With pairs not zero A and B hold pairs of bf16.
func genTile512(t tile) {
	name := fmt.Sprintf("wide%dx%d", t.rows, 16*t.panels)
	function(name, "(count, k int, a *float32, aRow, aCol int, b *float32, bRow, bPanel int, c *float32, cRow, mask, mode int, bias *float32, act, pairs int)",
		fmt.Sprintf("%s computes count blocks of %d rows and %d columns of a product with AVX-512.", name, t.rows, 16*t.panels))
	g := &tile512Gen{tile: t, mask: K()}
	for range t.rows {
		row := make([]VecVirtual, t.panels)
		for p := range row {
			row[p] = ZMM()
		}
		g.acc = append(g.acc, row)
	}
	KMOVW(pointer("mask").(GPVirtual).As32(), g.mask)
	a, aRow := pointer("a"), pointer("aRow")
	g.c, g.cRow = pointer("c"), pointer("cRow")
	Label("block")
	g.start()
	g.product(a, aRow)
	g.epilogue()
	g.eachC(func(p int, acc VecVirtual, m Mem) {
		if p == g.panels-1 {
			VMOVUPS(acc, g.mask, m)
		} else {
			VMOVUPS(acc, m)
		}
	})
	step := GP64()
	IMUL3Q(U8(t.rows), aRow, step)
	ADDQ(step, a)
	IMUL3Q(U8(t.rows), g.cRow, step)
	ADDQ(step, g.c)
	DECQ(param("count"))
	JNZ(LabelRef("block"))
	end()
}

// load reads a row of panel p.
func (g *tile512Gen) load(m Mem, p int, z VecVirtual) {
	if p == g.panels-1 {
		VMOVUPS_Z(m, g.mask, z)
	} else {
		VMOVUPS(m, z)
	}
}

// eachC calls f with each sum and its place in C.
func (g *tile512Gen) eachC(f func(p int, acc VecVirtual, m Mem)) {
	at := GP64()
	MOVQ(g.c, at)
	for i, row := range g.acc {
		if i > 0 {
			ADDQ(g.cRow, at)
		}
		for p, acc := range row {
			f(p, acc, Mem{Base: at, Disp: 64 * p})
		}
	}
}

// each calls f with each sum.
func (g *tile512Gen) each(f func(acc VecVirtual)) {
	for _, row := range g.acc {
		for _, acc := range row {
			f(acc)
		}
	}
}

// start sets the sums to zero or to C.
func (g *tile512Gen) start() {
	CMPQ(param("mode"), U8(0))
	JNE(LabelRef("fromC"))
	g.each(func(acc VecVirtual) { VPXORD(acc, acc, acc) })
	JMP(LabelRef("started"))
	Label("fromC")
	g.eachC(func(p int, acc VecVirtual, m Mem) { g.load(m, p, acc) })
	Label("started")
}

// panelMems returns the addresses of the current row of B in each panel and the
// registers that move from row to row.
func (g *tile512Gen) panelMems() (panels []Mem, moving []Register) {
	b := pointer("b")
	if g.panels == 1 {
		return []Mem{{Base: b}}, []Register{b}
	}
	bPanel, triple := pointer("bPanel"), Register(nil)
	if g.panels > 2 {
		triple = GP64()
		LEAQ(Mem{Base: bPanel, Index: bPanel, Scale: 2}, triple)
	}
	for first := 0; first < g.panels; first += 4 {
		base := b
		if first > 0 {
			base = GP64()
			LEAQ(Mem{Base: b, Index: bPanel, Scale: 4}, base)
		}
		moving = append(moving, base)
		panels = append(panels, Mem{Base: base}, Mem{Base: base, Index: bPanel, Scale: 1})
		if g.panels > 2 {
			panels = append(panels, Mem{Base: base, Index: bPanel, Scale: 2}, Mem{Base: base, Index: triple, Scale: 1})
		}
	}
	return panels, moving
}

// product adds the k products to the sums. Every third row of A has a pointer
// of its own.
func (g *tile512Gen) product(a, aRow Register) {
	panels, bases := g.panelMems()
	var rows []Register
	for i := 0; i < g.rows; i += 3 {
		p := GP64()
		if i == 0 {
			MOVQ(a, p)
		} else {
			LEAQ(Mem{Base: rows[len(rows)-1], Index: aRow, Scale: 2}, p)
			ADDQ(aRow, p)
		}
		rows = append(rows, p)
	}
	aCol, bRow, k := pointer("aCol"), pointer("bRow"), pointer("k")
	inner := func(label string, multiply func(b, a, acc VecVirtual)) {
		Label(label)
		g.step(rows, aRow, panels, multiply)
		for _, r := range rows {
			ADDQ(aCol, r)
		}
		for _, r := range bases {
			ADDQ(bRow, r)
		}
		DECQ(k)
		JNZ(LabelRef(label))
	}
	CMPQ(param("pairs"), U8(0))
	JNE(LabelRef("paired"))
	inner("inner", func(b, a, acc VecVirtual) { VFMADD231PS(b, a, acc) })
	JMP(LabelRef("summed"))
	Label("paired")
	inner("innerPairs", dotBF16)
	Label("summed")
}

// step adds the products of one row of B to the sums.
func (g *tile512Gen) step(rows []Register, aRow Register, panels []Mem, multiply func(b, a, acc VecVirtual)) {
	b := make([]VecVirtual, g.panels)
	for p := range b {
		b[p] = ZMM()
		g.load(panels[p], p, b[p])
	}
	for i, row := range g.acc {
		m := Mem{Base: rows[i/3]}
		if i%3 > 0 {
			m.Index, m.Scale = aRow, uint8(i%3)
		}
		x := ZMM()
		VBROADCASTSS(m, x)
		for p, acc := range row {
			multiply(b[p], x, acc)
		}
	}
}

// epilogue adds the bias and applies the activation in registers.
func (g *tile512Gen) epilogue() {
	bias := pointer("bias")
	TESTQ(bias, bias)
	JZ(LabelRef("unbiased"))
	for p := range g.panels {
		y := ZMM()
		g.load(Mem{Base: bias, Disp: 64 * p}, p, y)
		for i := range g.rows {
			VADDPS(y, g.acc[i][p], g.acc[i][p])
		}
	}
	Label("unbiased")
	act := pointer("act")
	CMPQ(act, U8(1))
	JL(LabelRef("done"))
	JG(LabelRef("abs"))
	zero := ZMM()
	VPXORD(zero, zero, zero)
	g.each(func(acc VecVirtual) { VMAXPS(acc, zero, acc) })
	JMP(LabelRef("done"))
	Label("abs")
	keep := ZMM()
	VBROADCASTSS(bits(absBits), keep)
	g.each(func(acc VecVirtual) { VPANDD(keep, acc, acc) })
	Label("done")
}
