package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

// The exponential is split as e^y = 2^n (1 + p) with n = round(y/ln 2) and
// p = e^r - 1, r = y - n ln 2. expm1Poly are the coefficients of
// (p - r)/r^2 in r, fitted by the Remez exchange for the least relative error
// of p on |r| <= 1.001 ln(2)/2; that error is 1.3e-8.
var expm1Poly = [5]float64{0.49999998144, 0.166665431782, 0.0416672017978, 0.00836658032381, 0.00138825088914}

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

// argument says how the y of expm1Poly follows from x.
type argument struct {
	factor float64 // y = factor*x, factor 1, -1 or 2
	exact  bool    // take ln 2 in two parts: for a small relative error at large |y|
}

// reduce returns p and the float whose lowest bits are n; see expm1Poly. It
// works on x/factor and the coefficients make up for it, which keeps the chain
// of dependent operations short: that chain, not their number, limits the
// speed. It destroys x.
func reduce(x VecVirtual, arg argument) (p, n VecVirtual) {
	n, round := vec(), vec()
	VMOVUPS(f32(magic), n)
	VMOVUPS(f32(arg.factor*log2e), round)
	VFMADD231PS(x, round, n)
	VSUBPS(f32(magic), n, round)
	if arg.exact {
		VFNMADD231PS(f32(ln2Hi/arg.factor), round, x)
		VFNMADD231PS(f32(ln2Lo/arg.factor), round, x)
	} else {
		VFNMADD231PS(f32(math.Ln2/arg.factor), round, x)
	}
	c := expm1Poly
	for i := range c {
		c[i] *= math.Pow(arg.factor, float64(i+2))
	}
	square, high := vec(), vec()
	p = vec()
	VMULPS(x, x, square)
	VMOVUPS(f32(c[1]), p)
	VFMADD213PS(f32(c[0]), x, p)
	VMOVUPS(f32(c[3]), high)
	VFMADD213PS(f32(c[2]), x, high)
	VFMADD231PS(f32(c[4]), square, high)
	VFMADD231PS(high, square, p)
	switch arg.factor {
	case 1:
		VFMADD213PS(x, square, p)
	case -1:
		VFMSUB213PS(x, square, p)
	case 2:
		VADDPS(x, x, x)
		VFMADD213PS(x, square, p)
	}
	return p, n
}

// clamp limits x to [lo, hi]; NaN stays NaN because it is the last operand.
func clamp(x VecVirtual, lo, hi float64) {
	bound := vec()
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
	p, n := reduce(x, argument{1, true})
	half := vec()
	VPSUBD(bits(magicBits), n, n)
	VPSRAD(u8(1), n, half)
	VPSUBD(half, n, n)
	power(half, 0)
	power(n, 0)
	VFMADD213PS(half, half, p)
	VMULPS(n, p, x)
}

// expm1 replaces x by e^(factor*x) - 1, for results below 2^127.
func expm1(x VecVirtual, factor float64) {
	p, n := reduce(x, argument{factor, false})
	power(n, 0)
	VSUBPS(f32(1), n, x)
	VFMADD231PS(p, n, x)
}

// sigmoid replaces x by 1/(1+e^-x). The power is halved so that it stays finite
// up to the largest clamped argument, and doubled by the sum.
func sigmoid(x VecVirtual) {
	clamp(x, -89, 80)
	p, n := reduce(x, argument{-1, false})
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
	sign := vec()
	and(bits(signBit), x, sign)
	and(bits(absBits), x, x)
	bound := vec()
	VMOVUPS(f32(10), bound)
	VMINPS(x, bound, x)
	expm1(x, 2)
	VADDPS(f32(2), x, bound)
	VDIVPS(bound, x, x)
	or(sign, x, x)
}

// elu replaces x by x where x > 0 and by e^x - 1 elsewhere.
func elu(x VecVirtual) {
	t, zero := vec(), vec()
	VMOVUPS(f32(-80), t)
	VMAXPS(x, t, t)
	clearVec(zero)
	VMINPS(t, zero, t)
	expm1(t, 1)
	choosePositive(x, x, t, x)
}
