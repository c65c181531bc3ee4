//go:build amd64 && !purego

package kernel

import "unsafe"

// first returns the address of the first element, nil for an empty slice.
func first(x []float32) *float32 { return unsafe.SliceData(x) }

func (avx2) exp(dst, x []float32)       { expVec(len(dst), first(dst), first(x)) }
func (avx2) tanh(dst, x []float32)      { tanhVec(len(dst), first(dst), first(x)) }
func (avx2) sigmoid(dst, x []float32)   { sigmoidVec(len(dst), first(dst), first(x)) }
func (avx2) elu(dst, x []float32)       { eluVec(len(dst), first(dst), first(x)) }
func (avx2) relu(dst, x []float32)      { reluVec(len(dst), first(dst), first(x)) }
func (avx2) abs(dst, x []float32)       { absVec(len(dst), first(dst), first(x)) }
func (avx2) add(dst, x []float32)       { addVec(len(dst), first(dst), first(x)) }
func (avx2) sub(dst, x []float32)       { subVec(len(dst), first(dst), first(x)) }
func (avx2) mul(dst, x []float32)       { mulVec(len(dst), first(dst), first(x)) }
func (avx2) dot(x, y []float32) float64 { return dotVec(len(x), first(x), first(y)) }

func (avx2) axpy(dst []float32, alpha float32, x []float32) {
	axpyVec(len(dst), first(dst), alpha, first(x))
}

func (avx2) scale(dst []float32, alpha float32) { scaleVec(len(dst), first(dst), alpha) }

func (avx2) eluGrad(dx, y, dy []float32)  { eluGradVec(len(dx), first(dx), first(y), first(dy)) }
func (avx2) reluGrad(dx, y, dy []float32) { reluGradVec(len(dx), first(dx), first(y), first(dy)) }
func (avx2) absGrad(dx, x, dy []float32)  { absGradVec(len(dx), first(dx), first(x), first(dy)) }

func (avx2) rmsProp(p, g, v []float32, lr, alpha, eps, gscale float32) {
	rmsPropVec(len(p), first(p), first(g), first(v), lr, alpha, eps, gscale)
}

func (avx2) adam(p, g, m, v []float32, c adamCoeffs) {
	adamVec(len(p), first(p), first(g), first(m), first(v), c.beta1, c.beta2, c.step, c.root, c.eps, c.gscale)
}
