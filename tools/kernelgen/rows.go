package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// genRows emits the functions that reduce along a row or a column.
func genRows() {
	for _, vectors := range []int{8, 4} {
		genColSum(vectors)
	}
	genColSumTail()
	genDot()
	genSoftmax()
	genLayerNorm()
}

// zeroVec returns a cleared vector.
func zeroVec() VecVirtual {
	y := YMM()
	VXORPS(y, y, y)
	return y
}

// fold combines the lanes of y by op into all lanes.
func fold(y VecVirtual, op func(a, b, dst Op)) {
	t := YMM()
	VPERM2F128(u8(0x01), y, y, t)
	op(t, y, y)
	VSHUFPS(u8(0x4e), y, y, t)
	op(t, y, y)
	VSHUFPS(u8(0xb1), y, y, t)
	op(t, y, y)
}

// genColSum adds the rows of 8*vectors columns to dst, kept in registers.
func genColSum(vectors int) {
	name := fmt.Sprintf("colSum%d", 8*vectors)
	function(name, "(rows int, dst, x *float32, ld int)", name+" adds the rows of a matrix to dst.")
	rows, dst, x, ld := pointer("rows"), pointer("dst"), pointer("x"), pointer("ld")
	sums := make([]VecVirtual, vectors)
	for v := range sums {
		sums[v] = YMM()
		VMOVUPS(Mem{Base: dst, Disp: 32 * v}, sums[v])
	}
	Label("row")
	for v, s := range sums {
		VADDPS(Mem{Base: x, Disp: 32 * v}, s, s)
	}
	ADDQ(ld, x)
	DECQ(rows)
	JNZ(LabelRef("row"))
	for v, s := range sums {
		VMOVUPS(s, Mem{Base: dst, Disp: 32 * v})
	}
	end()
}

// genColSumTail adds the rows of at most sixteen columns to dst.
func genColSumTail() {
	function("colSumTail", "(rows, cols int, dst, x *float32, ld int)", "colSumTail adds the rows of at most 16 columns to dst.")
	rows, cols, dst, x, ld := pointer("rows"), pointer("cols"), pointer("dst"), pointer("x"), pointer("ld")
	mask, sums := [2]VecVirtual{YMM(), YMM()}, [2]VecVirtual{YMM(), YMM()}
	laneMask(cols, []int{0, 8}, mask[0], mask[1])
	for v, s := range sums {
		VMASKMOVPS(Mem{Base: dst, Disp: 32 * v}, mask[v], s)
	}
	Label("row")
	for v, s := range sums {
		t := YMM()
		VMASKMOVPS(Mem{Base: x, Disp: 32 * v}, mask[v], t)
		VADDPS(t, s, s)
	}
	ADDQ(ld, x)
	DECQ(rows)
	JNZ(LabelRef("row"))
	for v, s := range sums {
		VMASKMOVPS(s, mask[v], Mem{Base: dst, Disp: 32 * v})
	}
	end()
}

// genDot emits the float64 sum of products: four sums of four lanes, element i
// going to lane i mod 16, added up in a fixed order.
func genDot() {
	function("dotVec", "(n int, x, y *float32) float64", "dotVec returns the sum of x*y in float64.")
	n, x, y := pointer("n"), pointer("x"), pointer("y")
	var sums [4]VecVirtual
	for v := range sums {
		sums[v] = zeroVec()
	}
	SUBQ(U8(16), n)
	JL(LabelRef("tail"))
	Label("body")
	for v, s := range sums {
		a, b := YMM(), YMM()
		VCVTPS2PD(Mem{Base: x, Disp: 16 * v}, a)
		VCVTPS2PD(Mem{Base: y, Disp: 16 * v}, b)
		VFMADD231PD(a, b, s)
	}
	ADDQ(U8(64), x)
	ADDQ(U8(64), y)
	SUBQ(U8(16), n)
	JGE(LabelRef("body"))
	Label("tail")
	ADDQ(U8(16), n)
	JZ(LabelRef("end"))
	table := GP64()
	LEAQ(maskTable(), table)
	NEGQ(n)
	for v, s := range sums {
		mask, a, b := XMM(), YMM(), YMM()
		VMOVUPS(Mem{Base: table, Index: n, Scale: 4, Disp: 64 + 16*v}, mask)
		VMASKMOVPS(Mem{Base: x, Disp: 16 * v}, mask, a.AsX())
		VMASKMOVPS(Mem{Base: y, Disp: 16 * v}, mask, b.AsX())
		VCVTPS2PD(a.AsX(), a)
		VCVTPS2PD(b.AsX(), b)
		VFMADD231PD(a, b, s)
	}
	Label("end")
	VADDPD(sums[1], sums[0], sums[0])
	VADDPD(sums[3], sums[2], sums[2])
	VADDPD(sums[2], sums[0], sums[0])
	high := XMM()
	VEXTRACTF128(u8(1), sums[0], high)
	VADDPD(high, sums[0].AsX(), high)
	swapped := XMM()
	VPERMILPD(u8(1), high, swapped)
	VADDPD(swapped, high, high)
	VZEROUPPER()
	Store(high, ReturnIndex(0))
	RET()
}

// genSoftmax emits the softmax of one row in place, and its gradient.
func genSoftmax() {
	function("softmaxVec", "(n int, x *float32)", "softmaxVec replaces a row by its softmax.")
	l := newLoop("x", 1)
	top := YMM()
	VBROADCASTSS(Mem{Base: l.base["x"]}, top)
	l.pass(func(v lanes) {
		x := v.load("x")
		if v.masked {
			VBLENDVPS(l.mask, x, top, x)
		}
		VMAXPS(x, top, top)
	})
	fold(top, func(a, b, dst Op) { VMAXPS(a, b, dst) })
	sum := zeroVec()
	l.pass(func(v lanes) {
		x := v.load("x")
		VSUBPS(top, x, x)
		exp(x)
		v.keep(x)
		VADDPS(x, sum, sum)
		v.store(x, "x")
	})
	fold(sum, func(a, b, dst Op) { VADDPS(a, b, dst) })
	scale := YMM()
	VMOVUPS(f32(1), scale)
	VDIVPS(sum, scale, scale)
	l.pass(func(v lanes) {
		x := v.load("x")
		VMULPS(scale, x, x)
		v.store(x, "x")
	})
	end()

	function("softmaxGradVec", "(n int, dx, y, dy *float32)", "softmaxGradVec sets dx = y*(dy - sum(y*dy)) on one row.")
	l, sum = newLoop("dx y dy", 1), zeroVec()
	l.pass(func(v lanes) {
		y, dy := v.load("y"), v.load("dy")
		VFMADD231PS(y, dy, sum)
	})
	fold(sum, func(a, b, dst Op) { VADDPS(a, b, dst) })
	l.pass(func(v lanes) {
		y, dy := v.load("y"), v.load("dy")
		VSUBPS(sum, dy, dy)
		VMULPS(y, dy, dy)
		v.store(dy, "dx")
	})
	end()
}

// genLayerNorm emits the normalisation of one row and its gradient. inv is
// 1/n.
func genLayerNorm() {
	function("layerNormVec", "(n int, x, gamma, beta *float32, eps, inv float32, out *float32) (mean, rstd float32)", "layerNormVec normalises one row.")
	l, inv := newLoop("x gamma beta out", 1), broadcast("inv")
	mean := zeroVec()
	l.pass(func(v lanes) { VADDPS(v.load("x"), mean, mean) })
	fold(mean, func(a, b, dst Op) { VADDPS(a, b, dst) })
	VMULPS(inv, mean, mean)
	square := zeroVec()
	l.pass(func(v lanes) {
		x := v.load("x")
		VSUBPS(mean, x, x)
		v.keep(x)
		VFMADD231PS(x, x, square)
	})
	fold(square, func(a, b, dst Op) { VADDPS(a, b, dst) })
	eps, rstd := broadcast("eps"), YMM()
	VFMADD213PS(eps, inv, square)
	VSQRTPS(square, square)
	VMOVUPS(f32(1), rstd)
	VDIVPS(square, rstd, rstd)
	l.pass(func(v lanes) {
		x := v.load("x")
		VSUBPS(mean, x, x)
		VMULPS(rstd, x, x)
		VFMADD213PS(v.load("beta"), v.load("gamma"), x)
		v.store(x, "out")
	})
	Store(mean.AsX(), Return("mean"))
	Store(rstd.AsX(), Return("rstd"))
	end()
	genLayerNormGrad()
}

func genLayerNormGrad() {
	function("layerNormGradVec", "(n int, x, gamma *float32, mean, rstd, inv float32, dy, dx, dgamma, dbeta *float32)", "layerNormGradVec is the gradient of layerNormVec.")
	l := newLoop("x gamma dy dx dgamma dbeta", 1)
	mean, rstd, inv := broadcast("mean"), broadcast("rstd"), broadcast("inv")
	sumG, sumGX := zeroVec(), zeroVec()
	normalised := func(v lanes) (xh, dy, g VecVirtual) {
		xh, dy, g = v.load("x"), v.load("dy"), v.load("gamma")
		VSUBPS(mean, xh, xh)
		VMULPS(rstd, xh, xh)
		VMULPS(dy, g, g)
		return xh, dy, g
	}
	l.pass(func(v lanes) {
		xh, dy, g := normalised(v)
		VADDPS(g, sumG, sumG)
		VFMADD231PS(g, xh, sumGX)
		dgamma, dbeta := v.load("dgamma"), v.load("dbeta")
		VFMADD231PS(xh, dy, dgamma)
		VADDPS(dy, dbeta, dbeta)
		v.store(dgamma, "dgamma")
		v.store(dbeta, "dbeta")
	})
	for _, s := range []VecVirtual{sumG, sumGX} {
		fold(s, func(a, b, dst Op) { VADDPS(a, b, dst) })
		VMULPS(inv, s, s)
	}
	l.pass(func(v lanes) {
		xh, _, g := normalised(v)
		VSUBPS(sumG, g, g)
		VFNMADD231PS(xh, sumGX, g)
		VMULPS(rstd, g, g)
		v.store(g, "dx")
	})
	end()
}
