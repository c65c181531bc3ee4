package nn

import (
	"time"

	"macpro/core/nn/internal/kernel"
)

// What an operation outside of this package needs of the kernels. All slices
// are dense float32; lengths that do not match are a mistake of the caller and
// panic, which a graph turns into an error of the operation.

// Op says which operand of a product is transposed.
type Op = kernel.Op

// The products C = A B, A B' and A' B. For a layer with its weight W stored
// [out,in] these are the input gradient dY W, the forward pass X W' and the
// weight gradient dY' X.
const (
	NN = kernel.NN
	NT = kernel.NT
	TN = kernel.TN
)

// Scratch is the working memory of Gemm, one for each user.
type Scratch = kernel.Scratch

// Packed is a right operand of products, rearranged once for many of them.
// p.Pack(trans, k, n, b, ldb) fills it with the [k,n] matrix b, or with the
// transpose of the [n,k] matrix b.
type Packed = kernel.Packed

// Gemm computes C = op(A) op(B), or C += op(A) op(B) if acc is set, for C [m,n]
// and inner dimension k. A is [m,k] ([k,m] for TN), B is [k,n] ([n,k] for NT);
// lda, ldb, ldc are distances between rows.
func Gemm(op Op, m, n, k int, a []float32, lda int, b []float32, ldb int, acc bool, c []float32, ldc int, s *Scratch) {
	kernel.Gemm(op, m, n, k, a, lda, b, ldb, acc, c, ldc, s)
}

// GemmPacked computes C = A B or C += A B for A [m,B.K] and C [m,B.N].
func GemmPacked(m int, a []float32, lda int, b *Packed, acc bool, c []float32, ldc int) {
	kernel.GemmPacked(m, a, lda, b, acc, c, ldc)
}

// GemmBiasAct computes C = act(A B + bias); bias may be nil.
func GemmBiasAct(m int, a []float32, lda int, b *Packed, bias []float32, act Act, c []float32, ldc int) {
	kernel.GemmBiasAct(m, a, lda, b, bias, act, c, ldc)
}

// ColSumAdd adds the column sums of x [rows,cols], whose rows are ld apart, to
// dst: the gradient of a bias.
func ColSumAdd(dst []float32, rows, cols int, x []float32, ld int) {
	kernel.ColSumAdd(dst, rows, cols, x, ld)
}

// SoftmaxRows replaces each row of x [rows,cols] by its softmax over the first
// valid[i] columns, zero after them; valid nil means all columns.
func SoftmaxRows(rows, cols int, x []float32, ld int, valid []int32) {
	kernel.SoftmaxRows(rows, cols, x, ld, valid)
}

// SoftmaxRowsGrad sets dx = y*(dy - sum(y*dy)) in each row, from the softmax y.
func SoftmaxRowsGrad(rows, cols int, dx, y, dy []float32, ld int) {
	kernel.SoftmaxRowsGrad(rows, cols, dx, y, dy, ld)
}

// LayerNormRows sets out = gamma*(x-mean)*rstd + beta in each row of x
// [rows,cols] and keeps mean and rstd [rows] for the gradient.
func LayerNormRows(rows, cols int, x, gamma, beta []float32, eps float32, out, mean, rstd []float32) {
	kernel.LayerNormRows(rows, cols, x, gamma, beta, eps, out, mean, rstd)
}

// LayerNormRowsGrad sets dx and adds to dgamma and dbeta. dx may be dy.
func LayerNormRowsGrad(rows, cols int, x, gamma, mean, rstd, dy, dx, dgamma, dbeta []float32) {
	kernel.LayerNormRowsGrad(rows, cols, x, gamma, mean, rstd, dy, dx, dgamma, dbeta)
}

// Exp sets dst = e^x.
func Exp(dst, x []float32) { kernel.Exp(dst, x) }

// Tanh sets dst = tanh(x).
func Tanh(dst, x []float32) { kernel.Tanh(dst, x) }

// Sigmoid sets dst = 1/(1+e^-x).
func Sigmoid(dst, x []float32) { kernel.Sigmoid(dst, x) }

// ELU sets dst = x where x > 0 and e^x-1 elsewhere.
func ELU(dst, x []float32) { kernel.ELU(dst, x) }

// ELUGrad sets dx = dy*ELU'(x) given y = ELU(x).
func ELUGrad(dx, y, dy []float32) { kernel.ELUGrad(dx, y, dy) }

// ReLU sets dst = max(x,0).
func ReLU(dst, x []float32) { kernel.ReLU(dst, x) }

// ReLUGrad sets dx = dy where y > 0 and zero elsewhere, given y = ReLU(x).
func ReLUGrad(dx, y, dy []float32) { kernel.ReLUGrad(dx, y, dy) }

// Abs sets dst = |x|.
func Abs(dst, x []float32) { kernel.Abs(dst, x) }

// AbsGrad sets dx = dy*sign(x); it needs the input of Abs.
func AbsGrad(dx, x, dy []float32) { kernel.AbsGrad(dx, x, dy) }

// Add sets dst += x.
func Add(dst, x []float32) { kernel.Add(dst, x) }

// Sub sets dst -= x.
func Sub(dst, x []float32) { kernel.Sub(dst, x) }

// Mul sets dst *= x, element by element.
func Mul(dst, x []float32) { kernel.Mul(dst, x) }

// Axpy sets dst += alpha*x.
func Axpy(dst []float32, alpha float32, x []float32) { kernel.Axpy(dst, alpha, x) }

// Scale sets dst *= alpha.
func Scale(dst []float32, alpha float32) { kernel.Scale(dst, alpha) }

// Dot is the sum of x*y, multiplied and summed in float64.
func Dot(x, y []float32) float64 { return kernel.Dot(x, y) }

// SumSq is the sum of x*x, multiplied and summed in float64.
func SumSq(x []float32) float64 { return kernel.SumSq(x) }

// KernelPath names the implementation in use: "avx512", "avx2" or "purego".
func KernelPath() string { return kernel.Path() }

// Peak is the GFLOP/s of one core on multiply-adds in registers, measured for
// about d: the roof of every product.
func Peak(d time.Duration) float64 { return kernel.Peak(d) }

// Rate is the GFLOP/s of Gemm with the given shape, measured for about d.
func Rate(m, n, k int, d time.Duration) float64 { return kernel.Rate(m, n, k, d) }
