package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// genPack emits the copies into a panel, which is k rows of 16 floats.
func genPack() {
	genPackRows()
	genPackCols()
	genPackEdge()
}

// genPackRows copies k rows of cols <= 16 floats, ld bytes apart, and fills the
// rest of each row with zeros.
func genPackRows() {
	function("packRows", "(k, cols int, src *float32, ld int, dst *float32)", "packRows copies k rows of cols floats into a panel, padding with zeros.")
	k, cols, src, ld, dst := pointer("k"), pointer("cols"), pointer("src"), pointer("ld"), pointer("dst")
	lo, hi := YMM(), YMM()
	CMPQ(cols, U8(16))
	JL(LabelRef("narrow"))
	Label("full")
	VMOVUPS(Mem{Base: src}, lo)
	VMOVUPS(Mem{Base: src, Disp: 32}, hi)
	storeRow(src, ld, dst, lo, hi)
	DECQ(k)
	JNZ(LabelRef("full"))
	end()
	Label("narrow")
	maskLo, maskHi := YMM(), YMM()
	laneMask(cols, []int{0, 8}, maskLo, maskHi)
	Label("part")
	VMASKMOVPS(Mem{Base: src}, maskLo, lo)
	VMASKMOVPS(Mem{Base: src, Disp: 32}, maskHi, hi)
	storeRow(src, ld, dst, lo, hi)
	DECQ(k)
	JNZ(LabelRef("part"))
	end()
}

// storeRow writes a panel row and moves on to the next.
func storeRow(src, ld, dst Register, lo, hi VecVirtual) {
	VMOVUPS(lo, Mem{Base: dst})
	VMOVUPS(hi, Mem{Base: dst, Disp: 32})
	ADDQ(ld, src)
	ADDQ(U8(64), dst)
}

// genPackCols transposes blocks of 8 x 8: eight source rows of 8*blocks
// floats, ld bytes apart, become eight columns of a panel.
func genPackCols() {
	function("packCols", "(blocks int, src *float32, ld int, dst *float32)", "packCols transposes eight rows of 8*blocks floats into half a panel.")
	blocks, src, ld, dst := pointer("blocks"), pointer("src"), pointer("ld"), pointer("dst")
	triple, far := GP64(), GP64()
	LEAQ(Mem{Base: ld, Index: ld, Scale: 2}, triple)
	LEAQ(Mem{Base: src, Index: ld, Scale: 4}, far)
	row := func(i int) Mem {
		m := Mem{Base: src}
		if i >= 4 {
			m.Base = far
		}
		switch i % 4 {
		case 1, 2:
			m.Index, m.Scale = ld, uint8(i%4)
		case 3:
			m.Index, m.Scale = triple, 1
		}
		return m
	}
	Label("block")
	for half := range 2 {
		transposeHalf(func(i int) Mem { return row(i).Offset(16 * half) }, dst, 4*half)
	}
	ADDQ(U8(32), src)
	ADDQ(U8(32), far)
	ADDQ(I32(8*64), dst)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	end()
}

// transposeHalf turns four columns of eight rows into panel rows first to
// first+3. Rows i and i+4 share a register from the start, so that the rest
// stays within 128-bit lanes.
func transposeHalf(row func(int) Mem, dst Register, first int) {
	var r [4]VecVirtual
	for i := range r {
		r[i] = YMM()
		VMOVUPS(row(i), r[i].AsX())
		VINSERTF128(U8(1), row(i+4), r[i], r[i])
	}
	ab, cd, ef, gh := YMM(), YMM(), YMM(), YMM()
	VUNPCKLPS(r[1], r[0], ab)
	VUNPCKLPS(r[3], r[2], cd)
	VUNPCKHPS(r[1], r[0], ef)
	VUNPCKHPS(r[3], r[2], gh)
	for i, pair := range [2][2]VecVirtual{{ab, cd}, {ef, gh}} {
		lo, hi := YMM(), YMM()
		VSHUFPS(U8(0x44), pair[1], pair[0], lo)
		VSHUFPS(U8(0xee), pair[1], pair[0], hi)
		VMOVUPS(lo, Mem{Base: dst, Disp: 64 * (first + 2*i)})
		VMOVUPS(hi, Mem{Base: dst, Disp: 64 * (first + 2*i + 1)})
	}
}

// genPackEdge transposes what packCols cannot take: rows <= 8 source rows of k
// floats, ld bytes apart, become as many columns of half a panel, the other
// columns zero.
func genPackEdge() {
	function("packEdge", "(k, rows int, src *float32, ld int, dst *float32)", "packEdge transposes up to eight rows of k floats into half a panel.")
	k, rows, src, ld, dst := pointer("k"), pointer("rows"), pointer("src"), pointer("ld"), pointer("dst")
	mask, index, y, m := YMM(), YMM(), YMM(), YMM()
	laneMask(rows, []int{0}, mask)
	VMOVD(ld.(GPVirtual).As32(), index.AsX())
	VPBROADCASTD(index.AsX(), index)
	VPMULLD(ramp(), index, index)
	Label("step")
	VXORPS(y, y, y)
	VMOVAPS(mask, m)
	VGATHERDPS(m, Mem{Base: src, Index: index, Scale: 1}, y)
	VMOVUPS(y, Mem{Base: dst})
	ADDQ(U8(4), src)
	ADDQ(U8(64), dst)
	DECQ(k)
	JNZ(LabelRef("step"))
	end()
}
