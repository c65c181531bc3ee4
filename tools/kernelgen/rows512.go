package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The AVX-512 forms of the functions on rows keep a whole row in registers and
// run over all rows, so that the reductions of one overlap with the arithmetic of
// the next. They add in the order of the AVX2 forms, eight lanes at a time, which
// gives the same bits.
const (
	softmaxVectors   = 8 // longest row of a softmax in registers
	layerNormVectors = 4 // longest row of a normalisation
)

// genRows512 emits a function for each number of registers.
func genRows512() {
	for v := 1; v <= softmaxVectors; v++ {
		genSoftmax512(v)
		genSoftmaxGrad512(v)
	}
	for v := 1; v <= layerNormVectors; v++ {
		genLayerNorm512(v)
		genLayerNormGrad512(v)
	}
}

// row is a matrix row in vectors registers, of which mask selects the lanes of
// the last one.
type row struct {
	vectors int
	mask    OpmaskVirtual
	odd     Register // not zero if only the lower half of the last register is in use
}

// newRow reads the width n of a row.
func newRow(vectors int) row {
	n, odd := pointer("n"), GP64()
	SUBQ(u8(16*(vectors-1)), n)
	MOVQ(n, odd)
	SUBQ(U8(9), odd) // negative for up to eight lanes
	SHRQ(U8(63), odd)
	return row{vectors, wideMask(n), odd}
}

// at is register v of the row that starts at p.
func at(p Register, v int) Mem { return Mem{Base: p, Disp: 64 * v} }

// load reads a row; lanes beyond the end are zero.
func (r row) load(p Register) []VecVirtual {
	x := make([]VecVirtual, r.vectors)
	for v := range x {
		x[v] = ZMM()
		if v == r.vectors-1 {
			VMOVUPS_Z(at(p, v), r.mask, x[v])
		} else {
			VMOVUPS(at(p, v), x[v])
		}
	}
	return x
}

// store writes a row.
func (r row) store(x []VecVirtual, p Register) {
	for v, y := range x {
		if v == r.vectors-1 {
			VMOVUPS(y, r.mask, at(p, v))
		} else {
			VMOVUPS(y, at(p, v))
		}
	}
}

// keep zeroes the lanes beyond the end.
func (r row) keep(x []VecVirtual) {
	last := x[r.vectors-1]
	VMOVAPS_Z(last, r.mask, last)
}

// upper is the upper half of a register.
func upper(z VecVirtual) VecVirtual {
	y := YMM()
	VEXTRACTF64X4(U8(1), z, y)
	return y
}

// fold512 combines the lanes of y by op in the order of fold, into the first lane.
func fold512(y VecVirtual, op func(a, b, dst Op)) {
	t, x := XMM(), y.AsX()
	VEXTRACTF32X4(U8(1), y, t)
	op(t, x, x)
	VSHUFPS(u8(0x4e), x, x, t)
	op(t, x, x)
	VSHUFPS(u8(0xb1), x, x, t)
	op(t, x, x)
}

// zeroSum returns a cleared narrow register.
func zeroSum() VecVirtual {
	z := ZMM()
	VPXORD(z, z, z)
	return z.AsY().(VecVirtual)
}

// sum adds up a row in the order of the AVX2 form.
func (r row) sum(x []VecVirtual) VecVirtual {
	sum := zeroSum()
	for _, z := range x {
		VADDPS(z.AsY(), sum, sum)
		VADDPS(upper(z), sum, sum)
	}
	fold512(sum, func(a, b, dst Op) { VADDPS(a, b, dst) })
	return sum
}

// dot adds up products. An upper half beyond the end is left out, for it could
// turn a sum of -0 into one of +0. label must be unique in the function.
func (r row) dot(x, y []VecVirtual, label string) VecVirtual {
	sum := zeroSum()
	for v := range x {
		VFMADD231PS(x[v].AsY(), y[v].AsY(), sum)
		a, b := upper(x[v]), upper(y[v])
		if v == r.vectors-1 {
			TESTQ(r.odd, r.odd)
			JNZ(LabelRef(label))
		}
		VFMADD231PS(a, b, sum)
	}
	Label(label)
	fold512(sum, func(a, b, dst Op) { VADDPS(a, b, dst) })
	return sum
}

// spread copies the first lane of x to all lanes of a wide register.
func spread(x VecVirtual) VecVirtual {
	z := ZMM()
	VBROADCASTSS(x.AsX(), z)
	return z
}

// nextRow moves pointers on by stride bytes and repeats from the label row.
func nextRow(stride Register, pointers ...Register) {
	for _, p := range pointers {
		ADDQ(stride, p)
	}
	DECQ(param("rows"))
	JNZ(LabelRef("row"))
	end()
}

func genSoftmax512(vectors int) {
	name := fmt.Sprintf("softmaxRows%d", 16*vectors)
	function(name, "(rows, n int, x *float32, ld int)", name+" replaces rows of so many elements at most by their softmax.")
	r, x, ld := newRow(vectors), pointer("x"), pointer("ld")
	Label("row")
	row := make([]VecVirtual, vectors)
	for v := range row {
		row[v] = ZMM()
		if v == vectors-1 {
			VBROADCASTSS(Mem{Base: x}, row[v])
			VMOVUPS(at(x, v), r.mask, row[v])
		} else {
			VMOVUPS(at(x, v), row[v])
		}
	}
	widest := ZMM()
	VMOVAPS(row[0], widest)
	for _, z := range row[1:] {
		VMAXPS(z, widest, widest)
	}
	top := YMM()
	VMAXPS(upper(widest), widest.AsY(), top)
	fold512(top, func(a, b, dst Op) { VMAXPS(a, b, dst) })
	all := spread(top)
	for _, z := range row {
		VSUBPS(all, z, z)
		exp(z)
	}
	r.keep(row)
	sum, scale := r.sum(row), YMM()
	VMOVUPS(f32(1), scale)
	VDIVPS(sum, scale, scale)
	all = spread(scale)
	for _, z := range row {
		VMULPS(all, z, z)
	}
	r.store(row, x)
	nextRow(ld, x)
}

func genSoftmaxGrad512(vectors int) {
	name := fmt.Sprintf("softmaxGradRows%d", 16*vectors)
	function(name, "(rows, n int, dx, y, dy *float32, ld int)", name+" sets dx = y*(dy - sum(y*dy)) on rows of so many elements at most.")
	r, dx, y, dy, ld := newRow(vectors), pointer("dx"), pointer("y"), pointer("dy"), pointer("ld")
	Label("row")
	ys, ds := r.load(y), r.load(dy)
	sum := spread(r.dot(ys, ds, "summed"))
	for v, d := range ds {
		VSUBPS(sum, d, d)
		VMULPS(ys[v], d, d)
	}
	r.store(ds, dx)
	nextRow(ld, dx, y, dy)
}

// lane reads a float32 parameter into all lanes of a narrow register.
func lane(name string) VecVirtual {
	y := YMM()
	VBROADCASTSS(param(name), y)
	return y
}

// rowBytes is the size of a row of a dense matrix.
func rowBytes() Register {
	n := pointer("n")
	SHLQ(U8(2), n)
	return n
}

func genLayerNorm512(vectors int) {
	name := fmt.Sprintf("layerNormRows%d", 16*vectors)
	function(name, "(rows, n int, x, gamma, beta *float32, eps, inv float32, out, mean, rstd *float32)", name+" normalises rows of so many elements at most.")
	r, x, out, means, rstds := newRow(vectors), pointer("x"), pointer("out"), pointer("mean"), pointer("rstd")
	gamma, beta := r.load(pointer("gamma")), r.load(pointer("beta"))
	eps, inv, one, stride, four := lane("eps"), lane("inv"), YMM(), rowBytes(), GP64()
	VMOVUPS(f32(1), one)
	MOVQ(U32(4), four)
	Label("row")
	xs := r.load(x)
	mean := r.sum(xs)
	VMULPS(inv, mean, mean)
	VMOVSS(mean.AsX(), Mem{Base: means})
	all := spread(mean)
	for _, z := range xs {
		VSUBPS(all, z, z)
	}
	r.keep(xs)
	square := zeroSum()
	for _, z := range xs {
		VFMADD231PS(z.AsY(), z.AsY(), square)
		high := upper(z)
		VFMADD231PS(high, high, square)
	}
	fold512(square, func(a, b, dst Op) { VADDPS(a, b, dst) })
	VFMADD213PS(eps, inv, square)
	VSQRTPS(square, square)
	rstd := YMM()
	VDIVPS(square, one, rstd)
	VMOVSS(rstd.AsX(), Mem{Base: rstds})
	all = spread(rstd)
	for v, z := range xs {
		VMULPS(all, z, z)
		VFMADD213PS(beta[v], gamma[v], z)
	}
	r.store(xs, out)
	ADDQ(four, means)
	ADDQ(four, rstds)
	nextRow(stride, x, out)
}

func genLayerNormGrad512(vectors int) {
	name := fmt.Sprintf("layerNormGradRows%d", 16*vectors)
	function(name, "(rows, n int, x, gamma, mean, rstd *float32, inv float32, dy, dx, dgamma, dbeta *float32)", name+" is the gradient of a normalisation of rows of so many elements at most.")
	r, x, dy, dx := newRow(vectors), pointer("x"), pointer("dy"), pointer("dx")
	means, rstds := pointer("mean"), pointer("rstd")
	gamma, dgamma, dbeta := r.load(pointer("gamma")), r.load(pointer("dgamma")), r.load(pointer("dbeta"))
	inv, stride, four := lane("inv"), rowBytes(), GP64()
	MOVQ(U32(4), four)
	Label("row")
	xh, ds, rstd, mean := r.load(x), r.load(dy), ZMM(), ZMM()
	VBROADCASTSS(Mem{Base: means}, mean)
	VBROADCASTSS(Mem{Base: rstds}, rstd)
	g := make([]VecVirtual, vectors)
	for v := range g {
		VSUBPS(mean, xh[v], xh[v])
		VMULPS(rstd, xh[v], xh[v])
		g[v] = ZMM()
		VMULPS(ds[v], gamma[v], g[v])
		VFMADD231PS(xh[v], ds[v], dgamma[v])
		VADDPS(ds[v], dbeta[v], dbeta[v])
	}
	sumG, sumGX := r.sum(g), r.dot(g, xh, "summed")
	VMULPS(inv, sumG, sumG)
	VMULPS(inv, sumGX, sumGX)
	allG, allGX := spread(sumG), spread(sumGX)
	for v, z := range g {
		VSUBPS(allG, z, z)
		VFNMADD231PS(xh[v], allGX, z)
		VMULPS(rstd, z, z)
	}
	r.store(g, dx)
	ADDQ(four, means)
	ADDQ(four, rstds)
	for _, p := range []Register{x, dy, dx} {
		ADDQ(stride, p)
	}
	DECQ(param("rows"))
	JNZ(LabelRef("row"))
	r.store(dgamma, pointer("dgamma"))
	r.store(dbeta, pointer("dbeta"))
	end()
}
