package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

// The exponential is split as e^x = 2^n (1 + p) with n = round(x/ln 2) and
// p = e^r - 1, r = x - n ln 2. expm1Poly are the coefficients of
// (p - r)/r^2 in r, fitted by the Remez exchange for the least relative error
// of p on |r| <= 1.001 ln(2)/2; that error is 1.3e-8.
var expm1Poly = []float64{0.49999998144, 0.166665431782, 0.0416672017978, 0.00836658032381, 0.00138825088914}

const (
	log2e = 1.4426950408889634
	// ln2 in two parts, the first short enough for n*ln2Hi to be exact.
	ln2Hi = 0.693359375
	ln2Lo = -2.12194440054690583e-4
	// magic shifts the integer part of a float into its lowest bits.
	magic     = 12582912
	magicBits = 0x4b400000
	one       = 0x3f800000
)

// reduce returns p and the float whose lowest bits are n; see expm1Poly. It
// destroys x.
func reduce(x VecVirtual) (p, n VecVirtual) {
	n, round := YMM(), YMM()
	VMOVUPS(f32(magic), n)
	VMOVUPS(f32(log2e), round)
	VFMADD231PS(x, round, n)
	VSUBPS(f32(magic), n, round)
	VFNMADD231PS(f32(ln2Hi), round, x)
	VFNMADD231PS(f32(ln2Lo), round, x)
	p = YMM()
	last := len(expm1Poly) - 1
	VMOVUPS(f32(expm1Poly[last]), p)
	for i := last - 1; i >= 0; i-- {
		VFMADD213PS(f32(expm1Poly[i]), x, p)
	}
	square := YMM()
	VMULPS(x, x, square)
	VFMADD213PS(x, square, p)
	return p, n
}

// clamp limits x to [lo, hi]; NaN stays NaN because it is the last operand.
func clamp(x VecVirtual, lo, hi float64) {
	bound := YMM()
	VMOVUPS(f32(lo), bound)
	VMAXPS(x, bound, x)
	VMOVUPS(f32(hi), bound)
	VMINPS(x, bound, x)
}

// power turns n into 2^(n+shift) in place, for normal results.
func power(n VecVirtual, shift int) {
	VPSLLD(u8(23), n, n)
	VPADDD(bits(uint32(one+shift<<23)), n, n)
}

// exp replaces x by e^x over the whole range: the scaling is done in two steps,
// because 2^n alone leaves the range of normal numbers before e^x does.
func exp(x VecVirtual) {
	clamp(x, -104, 89)
	p, n := reduce(x)
	half := YMM()
	VPSUBD(bits(magicBits), n, n)
	VPSRAD(u8(1), n, half)
	VPSUBD(half, n, n)
	power(half, 0)
	power(n, 0)
	VFMADD213PS(half, half, p)
	VMULPS(n, p, x)
}

// expm1 replaces x by e^x - 1 for -87 <= x <= 88.
func expm1(x VecVirtual) {
	p, n := reduce(x)
	power(n, 0)
	VSUBPS(f32(1), n, x)
	VFMADD231PS(p, n, x)
}

// sigmoid replaces x by 1/(1+e^-x). The power is halved so that it stays finite
// up to the largest clamped argument, and doubled by the sum.
func sigmoid(x VecVirtual) {
	VXORPS(bits(signBit), x, x)
	clamp(x, -80, 89)
	p, n := reduce(x)
	power(n, -1)
	VFMADD213PS(n, n, p)
	VADDPS(p, p, p)
	VADDPS(f32(1), p, p)
	VMOVUPS(f32(1), x)
	VDIVPS(p, x, x)
}

// tanh replaces x by tanh(x) = sign(x) t/(t+2) with t = e^(2|x|) - 1, which is
// accurate relative to the result near zero as well.
func tanh(x VecVirtual) {
	sign := YMM()
	VANDPS(bits(signBit), x, sign)
	VANDPS(bits(absBits), x, x)
	VADDPS(x, x, x)
	bound := YMM()
	VMOVUPS(f32(20), bound)
	VMINPS(x, bound, x)
	expm1(x)
	VADDPS(f32(2), x, bound)
	VDIVPS(bound, x, x)
	VORPS(sign, x, x)
}

// elu replaces x by x where x > 0 and by e^x - 1 elsewhere.
func elu(x VecVirtual) {
	t, bound := YMM(), YMM()
	VXORPS(bound, bound, bound)
	VMINPS(x, bound, t)
	VMOVUPS(f32(-87), bound)
	VMAXPS(t, bound, t)
	expm1(t)
	VXORPS(bound, bound, bound)
	positive := YMM()
	VCMPPS(u8(greater), bound, x, positive)
	VBLENDVPS(positive, x, t, x)
}
