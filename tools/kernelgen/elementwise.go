package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// greater is the comparison "greater than, false for NaN" of VCMPPS.
const greater = 0x1e

func u8(v int) Constant { return U8(uint8(v)) }

// stream is one slice of an element-wise function: a pointer parameter and, for
// the parts of a gate matrix, which third of the row it is. Its element i is at
// pointer + 4*(i + third*h).
type stream struct {
	param string
	third int
}

// lanes is the state of one vector of an element-wise function.
type lanes struct {
	loop   *loop
	masked bool
}

// loop walks over n elements, eight at a time and the rest masked.
type loop struct {
	base   map[string]Register
	index  []Register // byte offsets of the thirds
	mask   VecVirtual
	passes int
}

// newLoop loads the pointers of a function whose other parameters are scalars.
// thirds is 3 if it walks gate matrices, else 1.
func newLoop(pointers string, thirds int) *loop {
	l := &loop{base: map[string]Register{}}
	for _, p := range strings.Fields(pointers) {
		l.base[p] = pointer(p)
	}
	for range thirds {
		l.index = append(l.index, GP64())
	}
	return l
}

// rewind sets the offsets to the first element of each third.
func (l *loop) rewind() {
	XORQ(l.index[0], l.index[0])
	if len(l.index) > 1 {
		MOVQ(param("n"), l.index[1])
		SHLQ(U8(2), l.index[1])
		LEAQ(Mem{Base: l.index[1], Index: l.index[1], Scale: 1}, l.index[2])
	}
}

// pass emits one walk over the elements with body as the work on one vector.
func (l *loop) pass(body func(v lanes)) {
	l.passes++
	label := func(s string) string { return fmt.Sprintf("%s%d", s, l.passes) }
	l.rewind()
	n := pointer("n")
	SUBQ(U8(8), n)
	JL(LabelRef(label("tail")))
	Label(label("body"))
	body(lanes{loop: l})
	for _, i := range l.index {
		ADDQ(U8(32), i)
	}
	SUBQ(U8(8), n)
	JGE(LabelRef(label("body")))
	Label(label("tail"))
	ADDQ(U8(8), n)
	JZ(LabelRef(label("end")))
	l.mask = YMM()
	laneMask(n, []int{0}, l.mask)
	body(lanes{loop: l, masked: true})
	Label(label("end"))
}

// run emits a single pass and the end of the function.
func (l *loop) run(body func(v lanes)) {
	l.pass(body)
	end()
}

// end returns from a function.
func end() {
	VZEROUPPER()
	RET()
}

func (v lanes) at(s stream) Mem {
	return Mem{Base: v.loop.base[s.param], Index: v.loop.index[s.third], Scale: 1}
}

// load reads a vector; lanes beyond the end are zero.
func (v lanes) load(param string) VecVirtual { return v.loadFrom(stream{param: param}) }

func (v lanes) loadFrom(s stream) VecVirtual {
	y := YMM()
	if v.masked {
		VMASKMOVPS(v.at(s), v.loop.mask, y)
	} else {
		VMOVUPS(v.at(s), y)
	}
	return y
}

// store writes a vector; lanes beyond the end are left alone.
func (v lanes) store(y VecVirtual, param string) { v.storeTo(y, stream{param: param}) }

func (v lanes) storeTo(y VecVirtual, s stream) {
	if v.masked {
		VMASKMOVPS(y, v.loop.mask, v.at(s))
	} else {
		VMOVUPS(y, v.at(s))
	}
}

// keep zeroes the lanes beyond the end, for sums over y.
func (v lanes) keep(y VecVirtual) {
	if v.masked {
		VANDPS(v.loop.mask, y, y)
	}
}

// function starts an assembly function.
func function(name, signature, doc string) {
	TEXT(name, 4, "func"+signature)
	Pragma("noescape")
	Doc(doc)
}

// genElementwise emits every function that treats each element alike.
func genElementwise() {
	unary := map[string]func(x VecVirtual){
		"exp": exp, "tanh": tanh, "sigmoid": sigmoid, "elu": elu,
		"relu": relu, "abs": func(x VecVirtual) { VANDPS(bits(absBits), x, x) },
	}
	for _, name := range []string{"exp", "tanh", "sigmoid", "elu", "relu", "abs"} {
		function(name+"Vec", "(n int, dst, x *float32)", name+"Vec is the vector form of "+name+".")
		newLoop("dst x", 1).run(func(v lanes) {
			x := v.load("x")
			unary[name](x)
			v.store(x, "dst")
		})
	}
	genArithmetic()
	genSlopes()
	genOptimisers()
	genGRU()
}

func relu(x VecVirtual) {
	zero := YMM()
	VXORPS(zero, zero, zero)
	VMAXPS(x, zero, x)
}

// genArithmetic emits dst = dst op x and its relatives.
func genArithmetic() {
	binary := map[string]func(x, dst VecVirtual){
		"add":     func(x, dst VecVirtual) { VADDPS(x, dst, dst) },
		"sub":     func(x, dst VecVirtual) { VSUBPS(x, dst, dst) },
		"mul":     func(x, dst VecVirtual) { VMULPS(x, dst, dst) },
		"addReLU": func(x, dst VecVirtual) { VADDPS(x, dst, dst); relu(dst) },
		"addAbs":  func(x, dst VecVirtual) { VADDPS(x, dst, dst); VANDPS(bits(absBits), dst, dst) },
	}
	for _, name := range []string{"add", "sub", "mul", "addReLU", "addAbs"} {
		function(name+"Vec", "(n int, dst, x *float32)", name+"Vec combines x into dst.")
		newLoop("dst x", 1).run(func(v lanes) {
			x, dst := v.load("x"), v.load("dst")
			binary[name](x, dst)
			v.store(dst, "dst")
		})
	}
	function("axpyVec", "(n int, dst *float32, alpha float32, x *float32)", "axpyVec adds alpha*x to dst.")
	l, alpha := newLoop("dst x", 1), broadcast("alpha")
	l.run(func(v lanes) {
		x, dst := v.load("x"), v.load("dst")
		VFMADD231PS(x, alpha, dst)
		v.store(dst, "dst")
	})
	function("scaleVec", "(n int, dst *float32, alpha float32)", "scaleVec multiplies dst by alpha.")
	l, alpha = newLoop("dst", 1), broadcast("alpha")
	l.run(func(v lanes) {
		dst := v.load("dst")
		VMULPS(alpha, dst, dst)
		v.store(dst, "dst")
	})
}

// genSlopes emits the gradients of the activations.
func genSlopes() {
	slopes := map[string]func(y, dy VecVirtual){
		"eluGrad": func(y, dy VecVirtual) {
			slope, positive := YMM(), YMM()
			VXORPS(slope, slope, slope)
			VCMPPS(u8(greater), slope, y, positive)
			VADDPS(f32(1), y, slope)
			VMULPS(dy, slope, slope)
			VBLENDVPS(positive, dy, slope, dy)
		},
		"reluGrad": func(y, dy VecVirtual) {
			zero := YMM()
			VXORPS(zero, zero, zero)
			VCMPPS(u8(greater), zero, y, zero)
			VANDPS(zero, dy, dy)
		},
		"absGrad": func(x, dy VecVirtual) {
			sign, zero := YMM(), YMM()
			VANDPS(bits(signBit), x, sign)
			VXORPS(sign, dy, dy)
			VANDPS(bits(absBits), x, x)
			VXORPS(zero, zero, zero)
			VCMPPS(u8(greater), zero, x, zero)
			VANDPS(zero, dy, dy)
		},
	}
	for _, name := range []string{"eluGrad", "reluGrad", "absGrad"} {
		function(name+"Vec", "(n int, dx, y, dy *float32)", name+"Vec multiplies dy by the slope at y.")
		newLoop("dx y dy", 1).run(func(v lanes) {
			y, dy := v.load("y"), v.load("dy")
			slopes[name](y, dy)
			v.store(dy, "dx")
		})
	}
}

// oneMinus returns 1 - x.
func oneMinus(x VecVirtual) VecVirtual {
	y := YMM()
	VMOVUPS(f32(1), y)
	VSUBPS(x, y, y)
	return y
}

// average replaces old by rate*old + (1-rate)*x.
func average(old, rate, x VecVirtual) {
	rest := oneMinus(rate)
	VMULPS(x, rest, x)
	VFMADD213PS(x, rate, old)
}

// genOptimisers emits the update rules.
func genOptimisers() {
	function("rmsPropVec", "(n int, p, grad, v *float32, lr, alpha, eps, gscale float32)", "rmsPropVec is one RMSProp step.")
	l := newLoop("p grad v", 1)
	lr, alpha, eps, gscale := broadcast("lr"), broadcast("alpha"), broadcast("eps"), broadcast("gscale")
	l.run(func(v lanes) {
		s, square, sq := v.load("grad"), YMM(), v.load("v")
		VMULPS(gscale, s, s)
		VMULPS(s, s, square)
		average(sq, alpha, square)
		v.store(sq, "v")
		VSQRTPS(sq, sq)
		VADDPS(eps, sq, sq)
		VMULPS(lr, s, s)
		VDIVPS(sq, s, s)
		p := v.load("p")
		VSUBPS(s, p, p)
		v.store(p, "p")
	})
	function("adamVec", "(n int, p, grad, m, v *float32, beta1, beta2, step, root, eps, gscale float32)", "adamVec is one Adam step.")
	l = newLoop("p grad m v", 1)
	beta1, beta2, step, root := broadcast("beta1"), broadcast("beta2"), broadcast("step"), broadcast("root")
	eps, gscale = broadcast("eps"), broadcast("gscale")
	l.run(func(v lanes) {
		s, square := v.load("grad"), YMM()
		VMULPS(gscale, s, s)
		VMULPS(s, s, square)
		m, sq := v.load("m"), v.load("v")
		average(m, beta1, s)
		average(sq, beta2, square)
		v.store(m, "m")
		v.store(sq, "v")
		VSQRTPS(sq, sq)
		VFMADD213PS(eps, root, sq)
		VMULPS(step, m, m)
		VDIVPS(sq, m, m)
		p := v.load("p")
		VSUBPS(m, p, p)
		v.store(p, "p")
	})
}

// genGRU emits the pointwise part of a GRU cell on one row and its gradient.
// The thirds of gx, gh and their gradients are the gates r, z and n.
func genGRU() {
	function("gruVec", "(n int, gx, gh, hPrev, r, z, c, hOut *float32)", "gruVec is the pointwise part of a GRU cell on one row.")
	l := newLoop("gx gh hPrev r z c hOut", 3)
	// Two passes keep the chains of dependent operations short, so that more
	// of them are under way at once.
	l.pass(func(v lanes) {
		for i, name := range []string{"r", "z"} {
			gh, gate := v.loadFrom(stream{"gh", i}), v.loadFrom(stream{"gx", i})
			VADDPS(gh, gate, gate)
			sigmoid(gate)
			v.store(gate, name)
		}
	})
	l.run(func(v lanes) {
		r, z := v.load("r"), v.load("z")
		gh, c := v.loadFrom(stream{"gh", 2}), v.loadFrom(stream{"gx", 2})
		VFMADD231PS(gh, r, c)
		tanh(c)
		v.store(c, "c")
		h, rest := v.load("hPrev"), oneMinus(z)
		VMULPS(c, rest, rest)
		VFMADD213PS(rest, z, h)
		v.store(h, "hOut")
	})
	function("gruGradVec", "(n int, gh, hPrev, r, z, c, dh, dgx, dgh, dhPrev *float32)", "gruGradVec is the gradient of gruVec.")
	newLoop("gh hPrev r z c dh dgx dgh dhPrev", 3).run(func(v lanes) {
		r, z, c, d := v.load("r"), v.load("z"), v.load("c"), v.load("dh")
		dz, keep := v.load("hPrev"), oneMinus(z)
		VSUBPS(c, dz, dz)
		VMULPS(d, dz, dz)
		VMULPS(z, dz, dz)
		VMULPS(keep, dz, dz)
		dn := YMM()
		VMOVUPS(f32(1), dn)
		VFNMADD231PS(c, c, dn)
		VMULPS(keep, dn, dn)
		VMULPS(d, dn, dn)
		dr, rest := v.loadFrom(stream{"gh", 2}), oneMinus(r)
		VMULPS(dn, dr, dr)
		VMULPS(r, dr, dr)
		VMULPS(rest, dr, dr)
		VMULPS(z, d, d)
		v.store(d, "dhPrev")
		for i, y := range []VecVirtual{dr, dz, dn} {
			v.storeTo(y, stream{"dgx", i})
			if i == 2 {
				VMULPS(r, y, y)
			}
			v.storeTo(y, stream{"dgh", i})
		}
	})
}
