package kernel

import "fmt"

// Op says how the operands of a matrix product are stored.
type Op uint8

// The three products of a dense layer: forward pass, input gradient and
// weight gradient. BF16 is added to one of them.
const (
	NN Op = iota // A is [m,k], B is [k,n]
	NT           // A is [m,k], B is [n,k] and used transposed
	TN           // A is [k,m] and used transposed, B is [k,n]

	BF16 Op = 4 // A and B are rounded to bf16, sums stay float32
)

// Act is an activation applied at the end of a product.
type Act uint8

// The activations that a product can apply while its result is in registers.
const (
	ActNone Act = iota // x
	ActReLU            // max(x, 0)
	ActAbs             // |x|
)

// Scratch is the working memory of products: packed pieces of the operands. It
// grows on first use and is reused afterwards. The zero value is ready; one
// Scratch serves one goroutine at a time.
type Scratch struct {
	a, b   []float32
	packed Packed
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
	switch op &^ BF16 {
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
		panic(fmt.Sprintf("kernel.Gemm: unknown op %d, want NN, NT or TN, perhaps with BF16", op))
	}
	needMatrix("Gemm", "C", m, n, ldc, len(c))
	if m == 0 || n == 0 {
		return
	}
	if k == 0 {
		clearUnless(acc, m, n, c, ldc)
		return
	}
	switch {
	case op&BF16 == 0:
		active.gemm(op, m, n, k, a, lda, b, ldb, acc, c, ldc, s)
	case op == TN|BF16:
		active.gradPairs(m, n, k, a, lda, b, ldb, acc, c, ldc, s)
	default:
		s.packed.PackBF16(op == NT|BF16, k, n, b, ldb)
		active.gemmPairs(m, a, lda, &s.packed, acc, nil, ActNone, c, ldc, s)
	}
}
