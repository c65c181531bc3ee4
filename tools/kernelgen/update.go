package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

// oneMinus returns 1 - x.
func oneMinus(x VecVirtual) VecVirtual {
	y := vec()
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
	function("rmsPropVec"+suffix(), "(n int, p, grad, v *float32, lr, alpha, eps, gscale float32)", "rmsPropVec is one RMSProp step.")
	l := newLoop("p grad v", 1)
	lr, alpha, eps, gscale := broadcast("lr"), broadcast("alpha"), broadcast("eps"), broadcast("gscale")
	l.run(func(v lanes) {
		s, square, sq := v.load("grad"), vec(), v.load("v")
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
	function("adamVec"+suffix(), "(n int, p, grad, m, v *float32, beta1, beta2, step, root, eps, gscale float32)", "adamVec is one Adam step.")
	l = newLoop("p grad m v", 1)
	beta1, beta2, step, root := broadcast("beta1"), broadcast("beta2"), broadcast("step"), broadcast("root")
	eps, gscale = broadcast("eps"), broadcast("gscale")
	l.run(func(v lanes) {
		s, square := v.load("grad"), vec()
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

// genGRU emits the pointwise part of a GRU cell on rows and its gradient. The
// thirds of gx, gh and their gradients are the gates r, z and n.
func genGRU() {
	function("gruRows"+suffix(), "(rows, n int, gx, gh, hPrev, r, z, c, hOut *float32)", "gruRows is the pointwise part of a GRU cell.")
	l := newLoop("gx gh hPrev r z c hOut", 3)
	l.eachRow("gx gh", func() {
		// Two passes keep the chains of dependent operations short, so that more
		// of them are under way at once.
		l.pass(gruGates)
		l.pass(gruOutput)
	})
	function("gruGradRows"+suffix(), "(rows, n int, gh, hPrev, r, z, c, dh, dgx, dgh, dhPrev *float32)", "gruGradRows is the gradient of gruRows.")
	l = newLoop("gh hPrev r z c dh dgx dgh dhPrev", 3)
	l.eachRow("gh dgx dgh", func() { l.pass(gruGrad) })
}

func gruGates(v lanes) {
	for i, name := range []string{"r", "z"} {
		gh, gate := v.loadFrom(stream{"gh", i}), v.loadFrom(stream{"gx", i})
		VADDPS(gh, gate, gate)
		sigmoid(gate)
		v.store(gate, name)
	}
}

func gruOutput(v lanes) {
	r, z := v.load("r"), v.load("z")
	gh, c := v.loadFrom(stream{"gh", 2}), v.loadFrom(stream{"gx", 2})
	VFMADD231PS(gh, r, c)
	tanh(c)
	v.store(c, "c")
	h, rest := v.load("hPrev"), oneMinus(z)
	VMULPS(c, rest, rest)
	VFMADD213PS(rest, z, h)
	v.store(h, "hOut")
}

func gruGrad(v lanes) {
	r, z, c, d := v.load("r"), v.load("z"), v.load("c"), v.load("dh")
	dz, keep := v.load("hPrev"), oneMinus(z)
	VSUBPS(c, dz, dz)
	VMULPS(d, dz, dz)
	VMULPS(z, dz, dz)
	VMULPS(keep, dz, dz)
	dn := vec()
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
}
