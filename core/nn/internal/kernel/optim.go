package kernel

import "math"

// RMSProp updates the parameters p from the gradient g, with s = g*gscale:
//
//	v = alpha*v + (1-alpha)*s*s
//	p = p - lr*s/(sqrt(v)+eps)
//
// gscale is the factor of gradient clipping, 1 for none; g is left as it is.
func RMSProp(p, g, v []float32, lr, alpha, eps, gscale float32) {
	sameLen("RMSProp", len(p), len(g), len(v))
	active.rmsProp(p, g, v, lr, alpha, eps, gscale)
}

// adamCoeffs are the factors of one Adam step, bias correction included:
// p -= step * m / (sqrt(v)*root + eps).
type adamCoeffs struct {
	beta1, beta2, step, root, eps, gscale float32
}

// Adam updates the parameters p from the gradient g, with s = g*gscale, at
// step t = 1, 2, ...:
//
//	m = beta1*m + (1-beta1)*s
//	v = beta2*v + (1-beta2)*s*s
//	p = p - lr/(1-beta1^t) * m / (sqrt(v/(1-beta2^t)) + eps)
//
// gscale is the factor of gradient clipping, 1 for none; g is left as it is.
func Adam(p, g, m, v []float32, lr, beta1, beta2, eps, gscale float32, t int) {
	sameLen("Adam", len(p), len(g), len(m), len(v))
	correct1 := 1 - math.Pow(float64(beta1), float64(t))
	correct2 := 1 - math.Pow(float64(beta2), float64(t))
	active.adam(p, g, m, v, adamCoeffs{
		beta1: beta1, beta2: beta2, eps: eps, gscale: gscale,
		step: float32(float64(lr) / correct1),
		root: float32(1 / math.Sqrt(correct2)),
	})
}
