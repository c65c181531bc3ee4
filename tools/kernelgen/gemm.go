package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// tile is the block of C that one kernel keeps in registers: rows x 16*panels.
type tile struct{ rows, panels int }

// tiles lists the kernels. Few rows take several panels at once, because a
// multiply-add takes four cycles and two start in each, so that eight sums must
// be under way to keep the units busy.
var tiles = []tile{{1, 1}, {1, 2}, {1, 4}, {2, 1}, {2, 2}, {2, 3}, {3, 1}, {3, 2}, {4, 1}, {5, 1}, {6, 1}}

func (t tile) name() string { return fmt.Sprintf("tile%dx%d", t.rows, 16*t.panels) }

// tileGen holds the registers of a kernel being generated. acc[i][v] is row i,
// vector v of the block.
type tileGen struct {
	tile
	acc  [][]VecVirtual
	c    Register
	cRow Register
}

// genTile emits a kernel that runs down count tiles one below the other.
// Strides are in bytes: element (i,l) of A is at a + i*aRow + l*aCol, row l of
// panel p of B at b + 64*l + p*bPanel. mode 1 starts the sums from
// C. cols < 16 restricts reads of bias and all access to C to that many
// columns. bias may be nil; act is 0 none, 1 ReLU, 2 absolute value. With pairs
// not zero A and B hold pairs of bf16, which are multiplied with the bits of
// VDPBF16PS: the odd elements first, denormals as zeros.
func genTile(t tile) {
	function(t.name(), "(count, k int, a *float32, aRow, aCol int, b *float32, bPanel int, c *float32, cRow, cols, mode int, bias *float32, act, pairs int)",
		fmt.Sprintf("%s computes count blocks of %d rows and %d columns of a product.", t.name(), t.rows, 16*t.panels))
	g := &tileGen{tile: t}
	for range t.rows {
		row := make([]VecVirtual, 2*t.panels)
		for v := range row {
			row[v] = YMM()
		}
		g.acc = append(g.acc, row)
	}
	count, a, aRow := pointer("count"), pointer("a"), pointer("aRow")
	g.c, g.cRow = pointer("c"), pointer("cRow")
	Label("block")
	g.start()
	g.product(a, aRow)
	g.finish()
	step := GP64()
	IMUL3Q(U8(t.rows), aRow, step)
	ADDQ(step, a)
	IMUL3Q(U8(t.rows), g.cRow, step)
	ADDQ(step, g.c)
	DECQ(count)
	JNZ(LabelRef("block"))
	end()
}

// param returns the memory of an integer or pointer parameter.
func param(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// eachC calls f with each accumulator and its place in C.
func (g *tileGen) eachC(f func(v int, acc VecVirtual, m Mem)) {
	p := GP64()
	MOVQ(g.c, p)
	for i, row := range g.acc {
		if i > 0 {
			ADDQ(g.cRow, p)
		}
		for v, acc := range row {
			f(v, acc, Mem{Base: p, Disp: 32 * v})
		}
	}
}

// each calls f with each accumulator.
func (g *tileGen) each(f func(v int, acc VecVirtual)) {
	for _, row := range g.acc {
		for v, acc := range row {
			f(v, acc)
		}
	}
}

// masks returns the masks of a narrow panel.
func (g *tileGen) masks() [2]VecVirtual {
	m := [2]VecVirtual{YMM(), YMM()}
	laneMask(pointer("cols"), []int{0, 8}, m[0], m[1])
	return m
}

// start sets the sums to zero or to C.
func (g *tileGen) start() {
	CMPQ(param("mode"), U8(0))
	JNE(LabelRef("fromC"))
	g.each(func(_ int, acc VecVirtual) { VXORPS(acc, acc, acc) })
	JMP(LabelRef("started"))
	Label("fromC")
	if g.panels == 1 {
		CMPQ(param("cols"), U8(16))
		JL(LabelRef("fromNarrowC"))
	}
	g.eachC(func(_ int, acc VecVirtual, m Mem) { VMOVUPS(m, acc) })
	if g.panels == 1 {
		JMP(LabelRef("started"))
		Label("fromNarrowC")
		mask := g.masks()
		g.eachC(func(v int, acc VecVirtual, m Mem) { VMASKMOVPS(m, mask[v], acc) })
	}
	Label("started")
}

// product adds the k products to the sums.
func (g *tileGen) product(a, aRow Register) {
	low, high, aCol := GP64(), GP64(), pointer("aCol")
	b, k := pointer("b"), pointer("k")
	MOVQ(a, low)
	if g.rows > 3 {
		LEAQ(Mem{Base: a, Index: aRow, Scale: 2}, high)
		ADDQ(aRow, high)
	}
	panels := []Mem{{Base: b}}
	if g.panels > 1 {
		bPanel := pointer("bPanel")
		panels = append(panels, Mem{Base: b, Index: bPanel, Scale: 1}, Mem{Base: b, Index: bPanel, Scale: 2})
		if g.panels > 3 {
			triple := GP64()
			LEAQ(Mem{Base: bPanel, Index: bPanel, Scale: 2}, triple)
			panels = append(panels, Mem{Base: b, Index: triple, Scale: 1})
		}
	}
	inner := func(label string, step func()) {
		Label(label)
		step()
		ADDQ(aCol, low)
		if g.rows > 3 {
			ADDQ(aCol, high)
		}
		ADDQ(U8(64), b)
		DECQ(k)
		JNZ(LabelRef(label))
	}
	CMPQ(param("pairs"), U8(0))
	JNE(LabelRef("paired"))
	inner("inner", func() {
		if g.rows == 1 {
			g.innerRow(Mem{Base: low}, panels)
		} else {
			g.innerRows(low, high, aRow, panels, func(VecVirtual) {})
		}
	})
	JMP(LabelRef("summed"))
	Label("paired")
	whileFlushing(func() {
		inner("innerPairs", func() {
			g.innerRows(low, high, aRow, panels, odd)
			g.innerRows(low, high, aRow, panels, even)
		})
	})
	Label("summed")
}

// innerRow multiplies one element of A with vectors of B read from memory.
func (g *tileGen) innerRow(a Mem, panels []Mem) {
	x := YMM()
	VBROADCASTSS(a, x)
	for v, acc := range g.acc[0] {
		VFMADD231PS(panels[v/2].Offset(32*(v%2)), x, acc)
	}
}

// innerRows loads each vector of B and multiplies it with one element of each
// row of A. Few rows keep their elements of A in registers, many rows their
// vectors of B. part takes from both what is to be multiplied.
func (g *tileGen) innerRows(low, high, aRow Register, panels []Mem, part func(VecVirtual)) {
	element := func(i int, x VecVirtual) {
		m := Mem{Base: low}
		if i >= 3 {
			m.Base = high
		}
		if i%3 > 0 {
			m.Index, m.Scale = aRow, uint8(i%3)
		}
		VBROADCASTSS(m, x)
		part(x)
	}
	vector := func(v int) VecVirtual {
		b := YMM()
		VMOVUPS(panels[v/2].Offset(32*(v%2)), b)
		part(b)
		return b
	}
	if g.panels > 1 {
		x := make([]VecVirtual, g.rows)
		for i := range x {
			x[i] = YMM()
			element(i, x[i])
		}
		for v := range 2 * g.panels {
			b := vector(v)
			for i, row := range g.acc {
				VFMADD231PS(b, x[i], row[v])
			}
		}
		return
	}
	b := [2]VecVirtual{vector(0), vector(1)}
	x := [2]VecVirtual{YMM(), YMM()}
	for i, row := range g.acc {
		element(i, x[i%2])
		for v, acc := range row {
			VFMADD231PS(b[v], x[i%2], acc)
		}
	}
}

// finish adds the bias, applies the activation and stores the block.
func (g *tileGen) finish() {
	if g.panels == 1 {
		CMPQ(param("cols"), U8(16))
		JL(LabelRef("narrow"))
	}
	g.epilogue("", func(m Mem, _ int, y VecVirtual) { VMOVUPS(m, y) })
	g.eachC(func(_ int, acc VecVirtual, m Mem) { VMOVUPS(acc, m) })
	if g.panels > 1 {
		return
	}
	JMP(LabelRef("stored"))
	Label("narrow")
	mask := g.masks()
	g.epilogue("Narrow", func(m Mem, v int, y VecVirtual) { VMASKMOVPS(m, mask[v], y) })
	g.eachC(func(v int, acc VecVirtual, m Mem) { VMASKMOVPS(acc, mask[v], m) })
	Label("stored")
}

// epilogue adds the bias and applies the activation in registers. Its labels
// end in suffix.
func (g *tileGen) epilogue(suffix string, load func(Mem, int, VecVirtual)) {
	bias := pointer("bias")
	TESTQ(bias, bias)
	JZ(LabelRef("unbiased" + suffix))
	for v := range 2 * g.panels {
		y := YMM()
		load(Mem{Base: bias, Disp: 32 * v}, v, y)
		for i := range g.rows {
			VADDPS(y, g.acc[i][v], g.acc[i][v])
		}
	}
	Label("unbiased" + suffix)
	act := pointer("act")
	CMPQ(act, U8(1))
	JL(LabelRef("done" + suffix))
	JG(LabelRef("abs" + suffix))
	zero := YMM()
	VXORPS(zero, zero, zero)
	g.each(func(_ int, acc VecVirtual) { VMAXPS(acc, zero, acc) })
	JMP(LabelRef("done" + suffix))
	Label("abs" + suffix)
	keep := YMM()
	VMOVUPS(bits(absBits), keep)
	g.each(func(_ int, acc VecVirtual) { VANDPS(keep, acc, acc) })
	Label("done" + suffix)
}

// genPeak emits a loop of twelve operations that do not wait for each other.
func genPeak(name, what string, operation func(x, sum VecVirtual)) {
	function(name+suffix(), "(rounds int)", fmt.Sprintf("%s runs rounds times twelve %s.", name+suffix(), what))
	rounds := pointer("rounds")
	x := vec()
	clearVec(x)
	sums := make([]VecVirtual, 12)
	for i := range sums {
		sums[i] = vec()
		clearVec(sums[i])
	}
	Label("round")
	for _, s := range sums {
		operation(x, s)
	}
	DECQ(rounds)
	JNZ(LabelRef("round"))
	end()
}

func multiplyAdd(x, sum VecVirtual) { VFMADD231PS(x, x, sum) }
func sumPairs(x, sum VecVirtual)    { dotBF16(x, x, sum) }
