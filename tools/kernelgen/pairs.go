package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A product of bf16 operands reads them in pairs: a word of 32 bits holds an
// even element of the inner dimension in its lower half and the odd one after it
// in its upper half. To copies and addresses a pair is a float32.
const (
	oddBits  = 0xffff0000
	quietBit = 0x00400000
	minBits  = 0x00800000 // the smallest normal float32
)

// flushing is the control word with rounding to nearest even in which denormals
// count as zero, as operands and as results: what VDPBF16PS does whatever the
// control word is.
const flushing = 0x9fc0

// odd and even turn pairs into the float32 of one element.
func odd(x VecVirtual)  { VANDPS(bits(oddBits), x, x) }
func even(x VecVirtual) { VPSLLD(U8(16), x, x) }

// whileFlushing runs body under another control word.
func whileFlushing(body func()) {
	old := AllocLocal(8)
	VSTMXCSR(old)
	VLDMXCSR(bits(flushing))
	body()
	VLDMXCSR(old)
}

// roundBits rounds floats to bf16 in the upper halves of their words, to nearest
// even. The lower halves are left over. Denormals become zeros, a NaN quiet.
func roundBits(x VecVirtual) VecVirtual {
	y, t := YMM(), YMM()
	VPSRLD(U8(16), x, y)
	VPAND(bits(1), y, y)
	VPADDD(bits(0x7fff), y, y)
	VPADDD(x, y, y)
	VPAND(bits(absBits), x, t)
	magnitude, zero := YMM(), YMM()
	VMOVUPS(bits(minBits), magnitude)
	VPCMPGTD(t, magnitude, magnitude)
	VPAND(bits(signBit), x, zero)
	VBLENDVPS(magnitude, zero, y, y)
	VCMPPS(u8(unordered), x, x, t)
	quiet := YMM()
	VPOR(bits(quietBit), x, quiet)
	VBLENDVPS(t, quiet, y, y)
	return y
}

// unordered is the comparison "one of them is NaN" of VCMPPS.
const unordered = 0x03

// genPairs emits the copies that round to bf16.
func genPairs() {
	genPairAcross()
	genPairDown()
}

// genPairAcross pairs the elements of a row with their neighbours. A row has
// full vectors of 32 floats (AVX2: 16) and a rest of lo+hi, which makes out words.
func genPairAcross() {
	function("pairAcross"+suffix(), "(rows, full, lo, hi, out int, src *float32, ld int, dst *float32, dstRow int)",
		"pairAcross"+suffix()+" rounds rows to bf16, in pairs along a row.")
	step := 32
	if wide {
		step = 64
	}
	load, store := pairAcrossTail()
	src, ld, dst, dstRow := pointer("src"), pointer("ld"), pointer("dst"), pointer("dstRow")
	from, to, full := GP64(), GP64(), GP64()
	Label("row")
	MOVQ(src, from)
	MOVQ(dst, to)
	MOVQ(param("full"), full)
	TESTQ(full, full)
	JZ(LabelRef("tail"))
	Label("body")
	lo, hi := vec(), vec()
	VMOVUPS(Mem{Base: from}, lo)
	VMOVUPS(Mem{Base: from, Disp: step}, hi)
	VMOVUPS(pairUp(lo, hi), Mem{Base: to})
	ADDQ(I32(int32(2*step)), from)
	ADDQ(u8(step), to)
	DECQ(full)
	JNZ(LabelRef("body"))
	Label("tail")
	CMPQ(param("out"), U8(0))
	JE(LabelRef("next"))
	load(Mem{Base: from}, Mem{Base: from, Disp: step}, lo, hi)
	store(pairUp(lo, hi), Mem{Base: to})
	Label("next")
	ADDQ(ld, src)
	ADDQ(dstRow, dst)
	DECQ(param("rows"))
	JNZ(LabelRef("row"))
	end()
}

// pairAcrossTail returns the masked loads and the masked store of the rest.
func pairAcrossTail() (load func(lo, hi Mem, x, y VecVirtual), store func(x VecVirtual, m Mem)) {
	if wide {
		lo, hi, out := wideMask(pointer("lo")), wideMask(pointer("hi")), wideMask(pointer("out"))
		return func(a, b Mem, x, y VecVirtual) {
				VMOVUPS_Z(a, lo, x)
				VMOVUPS_Z(b, hi, y)
			}, func(x VecVirtual, m Mem) {
				VMOVUPS(x, out, m)
			}
	}
	var masks [3]VecVirtual
	for i, name := range []string{"lo", "hi", "out"} {
		masks[i] = YMM()
		laneMask(pointer(name), []int{0}, masks[i])
	}
	return func(a, b Mem, x, y VecVirtual) {
			VMASKMOVPS(a, masks[0], x)
			VMASKMOVPS(b, masks[1], y)
		}, func(x VecVirtual, m Mem) {
			VMASKMOVPS(x, masks[2], m)
		}
}

// pairUp rounds the floats of lo and then of hi to one vector of pairs.
func pairUp(lo, hi VecVirtual) VecVirtual {
	z := vec()
	if wide {
		roundBF16(lo, hi, z)
		return z
	}
	a, b := roundBits(lo), roundBits(hi)
	VPSRLD(U8(16), a, a)
	VPSRLD(U8(16), b, b)
	VPACKUSDW(b, a, z) // within the 128-bit lanes
	VPERMQ(U8(0xd8), z, z)
	return z
}

// genPairDown pairs rows with their neighbours: cols <= 16 columns of each two
// rows become a row of sixteen words, those of missing columns zero. The second
// of two rows has second columns: all, or none if it is not there.
func genPairDown() {
	function("pairDown"+suffix(), "(pairs, cols, second int, src *float32, ld int, dst *float32, dstRow int)",
		"pairDown"+suffix()+" rounds cols columns to bf16, in pairs down a column.")
	src, ld, dst, dstRow := pointer("src"), pointer("ld"), pointer("dst"), pointer("dstRow")
	two := GP64()
	LEAQ(Mem{Base: ld, Index: ld, Scale: 1}, two)
	pair := pairDownRows()
	Label("pair")
	pair(Mem{Base: src}, Mem{Base: src, Index: ld, Scale: 1}, Mem{Base: dst})
	ADDQ(two, src)
	ADDQ(dstRow, dst)
	DECQ(param("pairs"))
	JNZ(LabelRef("pair"))
	end()
}

// pairDownRows returns the work on two rows.
func pairDownRows() func(first, second, dst Mem) {
	if wide {
		m, n, order := wideMask(pointer("cols")), wideMask(pointer("second")), ZMM()
		VMOVUPS(interleave(), order)
		return func(first, second, dst Mem) {
			x, y := ZMM(), ZMM()
			VMOVUPS_Z(first, m, x)
			VMOVUPS_Z(second, n, y)
			z := pairUp(x, y)
			VPERMW(z, order, z)
			VMOVUPS(z, dst)
		}
	}
	m, n := [2]VecVirtual{YMM(), YMM()}, [2]VecVirtual{YMM(), YMM()}
	laneMask(pointer("cols"), []int{0, 8}, m[0], m[1])
	laneMask(pointer("second"), []int{0, 8}, n[0], n[1])
	return func(first, second, dst Mem) {
		for half := range 2 {
			x, y := YMM(), YMM()
			VMASKMOVPS(first.Offset(32*half), m[half], x)
			VMASKMOVPS(second.Offset(32*half), n[half], y)
			x, y = roundBits(x), roundBits(y)
			VPSRLD(U8(16), x, x)
			odd(y)
			VORPS(x, y, y)
			VMOVUPS(y, dst.Offset(32*half))
		}
	}
}

// interleave returns the order of words 0, 16, 1, 17, ... in memory.
func interleave() Mem {
	m := GLOBL("interleave", attr.RODATA|attr.NOPTR)
	for i := range 16 {
		DATA(4*i, U32(uint32(i|(16+i)<<16)))
	}
	return m
}
