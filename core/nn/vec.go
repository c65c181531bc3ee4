package nn

import (
	"time"

	"macpro/core/nn/internal/kernel"
)

// What an operation outside of this package needs of the kernels. All slices
// are dense float32; lengths that do not match are a mistake of the caller and
// panic, which a graph turns into an error of the operation.

// Exp sets dst = e^x.
func Exp(dst, x []float32) { kernel.Exp(dst, x) }

// Sigmoid sets dst = 1/(1+e^-x).
func Sigmoid(dst, x []float32) { kernel.Sigmoid(dst, x) }

// ELU sets dst = x where x > 0 and e^x-1 elsewhere.
func ELU(dst, x []float32) { kernel.ELU(dst, x) }

// ELUGrad sets dx = dy*ELU'(x) given y = ELU(x).
func ELUGrad(dx, y, dy []float32) { kernel.ELUGrad(dx, y, dy) }

// Abs sets dst = |x|.
func Abs(dst, x []float32) { kernel.Abs(dst, x) }

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

// KernelPath names the implementation in use: "avx512bf16", "avx512",
// "avx2" or "purego".
func KernelPath() string { return kernel.Path() }

// BF16Means names what computes large products in the precision [BF16].
func BF16Means() string { return string(kernel.PathBF16()) }

// BF16IsSlow tells whether such products take many times as long as in float32.
func BF16IsSlow() bool { return kernel.PathBF16() == kernel.BF16InGo }

// PeakBF16 is the roof of such products like [Peak], zero if they are emulated.
func PeakBF16(d time.Duration) float64 { return kernel.PeakBF16(d) }

// Peak is the GFLOP/s of one core on multiply-adds in registers, measured for
// about d: the roof of every product.
func Peak(d time.Duration) float64 { return kernel.Peak(d) }

// Rate is the GFLOP/s of Gemm with the given shape, measured for about d.
func Rate(m, n, k int, d time.Duration) float64 { return kernel.Rate(m, n, k, d) }
