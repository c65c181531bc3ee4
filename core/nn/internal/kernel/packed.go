package kernel

// Packed is a right operand in the order in which the kernels read it. Acting
// packs the weights once and multiplies many small batches with them.
type Packed struct {
	K, N  int // rows and columns of the operand
	buf   []float32
	pairs bool // of bf16, else float32
	words []float32
}

// steps is the number of rows of the packed operand.
func (p *Packed) steps() int {
	if p.pairs {
		return pairCount(p.K)
	}
	return p.K
}

// Pack fills p with the [k,n] operand b, or, if trans is set, with the
// transpose of the [n,k] matrix b. The buffer of an earlier Pack is reused.
func (p *Packed) Pack(trans bool, k, n int, b []float32, ldb int) {
	p.fill(false, trans, k, n, b, ldb)
}

// PackBF16 is Pack of b rounded to bf16. Products with p round their left operand
// to bf16, too.
func (p *Packed) PackBF16(trans bool, k, n int, b []float32, ldb int) {
	p.fill(true, trans, k, n, b, ldb)
}

func (p *Packed) fill(pairs, trans bool, k, n int, b []float32, ldb int) {
	if trans {
		needMatrix("Pack", "B", n, k, ldb, len(b))
	} else {
		needMatrix("Pack", "B", k, n, ldb, len(b))
	}
	p.K, p.N, p.pairs = k, n, pairs
	if k == 0 || n == 0 {
		return
	}
	if pairs {
		active.packPairs(p, trans, b, ldb)
	} else {
		active.pack(p, trans, b, ldb)
	}
}

// GemmPacked computes C = A B, or C += A B if acc is set, for A [m,B.K] and
// C [m,B.N]. The bits are those of [Gemm] with the precision that B was packed in.
// Only a B in bf16 needs a Scratch.
func GemmPacked(m int, a []float32, lda int, b *Packed, acc bool, c []float32, ldc int, s *Scratch) {
	needMatrix("GemmPacked", "A", m, b.K, lda, len(a))
	needMatrix("GemmPacked", "C", m, b.N, ldc, len(c))
	if m == 0 || b.N == 0 {
		return
	}
	if b.K == 0 {
		clearUnless(acc, m, b.N, c, ldc)
		return
	}
	multiplyPacked(m, a, lda, b, acc, nil, ActNone, c, ldc, s)
}

// GemmBiasAct computes C = act(A B + bias) for A [m,B.K], bias [B.N] (nil for
// none) and C [m,B.N], with s as in [GemmPacked]. The bits are those of [GemmPacked] followed by
// [BiasAct].
func GemmBiasAct(m int, a []float32, lda int, b *Packed, bias []float32, act Act, c []float32, ldc int, s *Scratch) {
	needMatrix("GemmBiasAct", "A", m, b.K, lda, len(a))
	needMatrix("GemmBiasAct", "C", m, b.N, ldc, len(c))
	needAct("GemmBiasAct", act)
	if bias != nil {
		needLen("GemmBiasAct", "bias", b.N, len(bias))
	}
	if m == 0 || b.N == 0 {
		return
	}
	if b.K == 0 {
		clearUnless(false, m, b.N, c, ldc)
		active.biasAct(m, b.N, c, ldc, bias, act)
		return
	}
	multiplyPacked(m, a, lda, b, false, bias, act, c, ldc, s)
}

func multiplyPacked(m int, a []float32, lda int, b *Packed, acc bool, bias []float32, act Act, c []float32, ldc int, s *Scratch) {
	if b.pairs {
		active.gemmPairs(m, a, lda, b, acc, bias, act, c, ldc, s)
	} else {
		active.gemmPacked(m, a, lda, b, acc, bias, act, c, ldc)
	}
}

// clearUnless zeroes the [m,n] matrix c unless keep is set.
func clearUnless(keep bool, m, n int, c []float32, ldc int) {
	if keep {
		return
	}
	for i := range m {
		clear(c[i*ldc : i*ldc+n])
	}
}
