package kernel

import "math"

// Products of bf16 operands read these in pairs: a word of 32 bits holds an even
// element of the inner dimension in its lower half, the odd one after it in its
// upper half. What is missing after the last element is zero. To copies a pair is
// a float32.

// pairCount is the number of pairs of k elements.
func pairCount(k int) int { return (k + 1) / 2 }

// toBF16 rounds x to the nearest bf16, ties to even. A denormal becomes a zero,
// a NaN quiet. So does VCVTNE2PS2BF16.
func toBF16(x float32) uint32 {
	u := math.Float32bits(x)
	switch {
	case u&0x7f800000 == 0:
		return u >> 16 & 0x8000
	case x != x:
		return u>>16 | 0x40
	}
	return (u + 0x7fff + u>>16&1) >> 16
}

// pairOf rounds two elements.
func pairOf(even, odd float32) float32 { return math.Float32frombits(toBF16(even) | toBF16(odd)<<16) }

// dotPair is c plus the products of the pairs a and b, with the bits of VDPBF16PS:
// two multiply-adds of one rounding each, the odd elements first. Denormals are
// zeros, as operands and as results.
func dotPair(c, a, b float32) float32 {
	x, y := math.Float32bits(a), math.Float32bits(b)
	c = mulAdd(x&0xffff0000, y&0xffff0000, c)
	return mulAdd(x<<16, y<<16, c)
}

// mulAdd is one of the multiply-adds. The product of two bf16 is exact in float64.
// The sum there is the result unless it lies half way between two float32, or may
// be near denormals.
func mulAdd(x, y uint32, c float32) float32 {
	a, b := math.Float32frombits(x), math.Float32frombits(y)
	sum := float64(a)*float64(b) + float64(c)
	const below, half = 1<<29 - 1, 1 << 28 // bits that a float32 lacks
	if size := math.Abs(sum); size > 0x1p-60 && size < 0x1p100 && math.Float64bits(sum)&below != half {
		return float32(sum)
	}
	return mulAddSlowly(flush(a), flush(b), flush(c))
}

// mulAddSlowly rounds the sum to odd in float64, so that rounding it to float32
// counts as one rounding.
func mulAddSlowly(a, b, c float32) float32 {
	if z, is := nanOf(a, b, c); is {
		return z
	}
	p, q := float64(a)*float64(b), float64(c)
	sum := p + q
	if sum != sum {
		return math.Float32frombits(0xffc00000)
	}
	if math.IsInf(sum, 0) {
		return float32(sum)
	}
	back := sum - p
	rest := (p - (sum - back)) + (q - back)
	if u := math.Float64bits(sum); rest != 0 && u&1 == 0 {
		if (rest > 0) == (sum > 0) {
			u++
		} else {
			u--
		}
		sum = math.Float64frombits(u)
	}
	// Whether a result is a denormal shows after rounding without a lower bound.
	const up = 1 << 64
	if math.Abs(sum) < 0x1p-125 && math.Abs(float64(float32(sum*up))) < 0x1p-126*up {
		return float32(math.Copysign(0, sum))
	}
	return float32(sum)
}

// flush makes a denormal a zero.
func flush(x float32) float32 {
	if u := math.Float32bits(x); u&0x7f800000 == 0 {
		return math.Float32frombits(u & 0x80000000)
	}
	return x
}

// nanOf is the first of the operands that is a NaN, made quiet.
func nanOf(operands ...float32) (float32, bool) {
	for _, x := range operands {
		if x != x {
			return math.Float32frombits(math.Float32bits(x) | 0x400000), true
		}
	}
	return 0, false
}

func (pure) bf16() BF16Means { return BF16InGo }

func (pure) packPairs(p *Packed, trans bool, b []float32, ldb int) {
	row, col := ldb, 1
	if trans {
		row, col = 1, ldb
	}
	pairRows(p.K, p.N, b, row, col, grow(&p.buf, p.steps()*p.N))
}

// pairRows rounds the [k,n] matrix with the given strides in pairs down its
// columns.
func pairRows(k, n int, x []float32, row, col int, dst []float32) {
	for l := 0; l < k; l += 2 {
		for j := range n {
			even, odd := x[l*row+j*col], float32(0)
			if l+1 < k {
				odd = x[(l+1)*row+j*col]
			}
			dst[l/2*n+j] = pairOf(even, odd)
		}
	}
}

func (u pure) gemmPairs(m int, a []float32, lda int, p *Packed, acc bool, bias []float32, act Act, c []float32, ldc int, s *Scratch) {
	words := grow(&s.a, p.steps()*m)
	pairRows(p.K, m, a, 1, lda, words)
	dotPairs(m, p.N, p.steps(), words, p.buf, acc, c, ldc)
	if bias != nil || act != ActNone {
		u.biasAct(m, p.N, c, ldc, bias, act)
	}
}

func (pure) gradPairs(m, n, k int, a []float32, lda int, b []float32, ldb int, acc bool, c []float32, ldc int, s *Scratch) {
	steps := pairCount(k)
	left, right := grow(&s.a, steps*m), grow(&s.b, steps*n)
	pairRows(k, m, a, lda, 1, left)
	pairRows(k, n, b, ldb, 1, right)
	dotPairs(m, n, steps, left, right, acc, c, ldc)
}

// dotPairs computes C from A [steps,m] and B [steps,n], both in pairs.
func dotPairs(m, n, steps int, a, b []float32, acc bool, c []float32, ldc int) {
	for i := range m {
		row := c[i*ldc : i*ldc+n]
		if !acc {
			clear(row)
		}
		for l := range steps {
			x := a[l*m+i]
			for j, y := range b[l*n : (l+1)*n] {
				row[j] = dotPair(row[j], x, y)
			}
		}
	}
}
