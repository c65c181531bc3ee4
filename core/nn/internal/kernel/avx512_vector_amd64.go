//go:build amd64 && !purego

package kernel

func (avx512) exp(dst, x []float32)     { expVec512(len(dst), first(dst), first(x)) }
func (avx512) tanh(dst, x []float32)    { tanhVec512(len(dst), first(dst), first(x)) }
func (avx512) sigmoid(dst, x []float32) { sigmoidVec512(len(dst), first(dst), first(x)) }
func (avx512) elu(dst, x []float32)     { eluVec512(len(dst), first(dst), first(x)) }
func (avx512) relu(dst, x []float32)    { reluVec512(len(dst), first(dst), first(x)) }
func (avx512) abs(dst, x []float32)     { absVec512(len(dst), first(dst), first(x)) }
func (avx512) add(dst, x []float32)     { addVec512(len(dst), first(dst), first(x)) }
func (avx512) sub(dst, x []float32)     { subVec512(len(dst), first(dst), first(x)) }
func (avx512) mul(dst, x []float32)     { mulVec512(len(dst), first(dst), first(x)) }

func (avx512) axpy(dst []float32, alpha float32, x []float32) {
	axpyVec512(len(dst), first(dst), alpha, first(x))
}

func (avx512) scale(dst []float32, alpha float32) { scaleVec512(len(dst), first(dst), alpha) }

func (avx512) eluGrad(dx, y, dy []float32)  { eluGradVec512(len(dx), first(dx), first(y), first(dy)) }
func (avx512) reluGrad(dx, y, dy []float32) { reluGradVec512(len(dx), first(dx), first(y), first(dy)) }
func (avx512) absGrad(dx, x, dy []float32)  { absGradVec512(len(dx), first(dx), first(x), first(dy)) }

func (avx512) rmsProp(p, g, v []float32, lr, alpha, eps, gscale float32) {
	rmsPropVec512(len(p), first(p), first(g), first(v), lr, alpha, eps, gscale)
}

func (avx512) adam(p, g, m, v []float32, c adamCoeffs) {
	adamVec512(len(p), first(p), first(g), first(m), first(v), c.beta1, c.beta2, c.step, c.root, c.eps, c.gscale)
}
