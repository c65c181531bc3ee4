package kernel

import "fmt"

// Op says how the operands of a matrix product are stored.
type Op uint8

// The three products of a dense layer: forward pass, input gradient and
// weight gradient.
const (
	NN Op = iota // A is [m,k], B is [k,n]
	NT           // A is [m,k], B is [n,k] and used transposed
	TN           // A is [k,m] and used transposed, B is [k,n]
)

// Act is an activation applied at the end of a product.
type Act uint8

// The activations that a product can apply while its result is in registers.
const (
	ActNone Act = iota // x
	ActReLU            // max(x, 0)
	ActAbs             // |x|
)

// Scratch is the working memory of [Gemm]: packed pieces of the operands. It
// grows on first use and is reused afterwards. The zero value is ready; one
// Scratch serves one goroutine at a time.
type Scratch struct {
	b []float32
}

// grow returns a slice of n elements with undefined content, reusing buf
// where it is long enough.
func grow(buf *[]float32, n int) []float32 {
	if cap(*buf) < n {
		*buf = make([]float32, n)
	}
	*buf = (*buf)[:n]
	return *buf
}

// Gemm computes C = op(A) op(B), or C += op(A) op(B) if acc is set. C is
// [m,n]; the shapes of A and B are those of op. lda, ldb and ldc are leading
// dimensions. C must not overlap A or B. With k = 0 the product is zero.
func Gemm(op Op, m, n, k int, a []float32, lda int, b []float32, ldb int, acc bool, c []float32, ldc int, s *Scratch) {
	switch op {
	case NN:
		needMatrix("Gemm", "A", m, k, lda, len(a))
		needMatrix("Gemm", "B", k, n, ldb, len(b))
	case NT:
		needMatrix("Gemm", "A", m, k, lda, len(a))
		needMatrix("Gemm", "B", n, k, ldb, len(b))
	case TN:
		needMatrix("Gemm", "A", k, m, lda, len(a))
		needMatrix("Gemm", "B", k, n, ldb, len(b))
	default:
		panic(fmt.Sprintf("kernel.Gemm: unknown op %d, want NN, NT or TN", op))
	}
	needMatrix("Gemm", "C", m, n, ldc, len(c))
	if m == 0 || n == 0 {
		return
	}
	if k == 0 {
		clearUnless(acc, m, n, c, ldc)
		return
	}
	active.gemm(op, m, n, k, a, lda, b, ldb, acc, c, ldc, s)
}

// Packed is a right operand in the order in which the kernels read it. Acting
// packs the weights once and multiplies many small batches with them.
type Packed struct {
	K, N int // rows and columns of the operand
	buf  []float32
}

// Pack fills p with the [k,n] operand b, or, if trans is set, with the
// transpose of the [n,k] matrix b. The buffer of an earlier Pack is reused.
func (p *Packed) Pack(trans bool, k, n int, b []float32, ldb int) {
	if trans {
		needMatrix("Pack", "B", n, k, ldb, len(b))
	} else {
		needMatrix("Pack", "B", k, n, ldb, len(b))
	}
	p.K, p.N = k, n
	if k == 0 || n == 0 {
		return
	}
	active.pack(p, trans, b, ldb)
}

// GemmPacked computes C = A B, or C += A B if acc is set, for A [m,B.K] and
// C [m,B.N]. The bits are those of [Gemm].
func GemmPacked(m int, a []float32, lda int, b *Packed, acc bool, c []float32, ldc int) {
	needMatrix("GemmPacked", "A", m, b.K, lda, len(a))
	needMatrix("GemmPacked", "C", m, b.N, ldc, len(c))
	if m == 0 || b.N == 0 {
		return
	}
	if b.K == 0 {
		clearUnless(acc, m, b.N, c, ldc)
		return
	}
	active.gemmPacked(m, a, lda, b, acc, nil, ActNone, c, ldc)
}

// GemmBiasAct computes C = act(A B + bias) for A [m,B.K], bias [B.N] (nil for
// none) and C [m,B.N]. The bits are those of [GemmPacked] followed by
// [BiasAct].
func GemmBiasAct(m int, a []float32, lda int, b *Packed, bias []float32, act Act, c []float32, ldc int) {
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
	active.gemmPacked(m, a, lda, b, false, bias, act, c, ldc)
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
