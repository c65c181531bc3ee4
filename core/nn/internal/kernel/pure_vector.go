package kernel

import "math"

func (pure) exp(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Exp(float64(v)))
	}
}

func (pure) tanh(dst, x []float32) {
	for i, v := range x {
		dst[i] = tanh32(v)
	}
}

func (pure) sigmoid(dst, x []float32) {
	for i, v := range x {
		dst[i] = sigmoid32(v)
	}
}

func tanh32(x float32) float32    { return float32(math.Tanh(float64(x))) }
func sigmoid32(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }

func (pure) elu(dst, x []float32) {
	for i, v := range x {
		if v > 0 {
			dst[i] = v
		} else {
			dst[i] = float32(math.Expm1(float64(v)))
		}
	}
}

func (pure) relu(dst, x []float32) {
	for i, v := range x {
		dst[i] = max(v, 0)
	}
}

func (pure) abs(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Abs(float64(v)))
	}
}

func (pure) eluGrad(dx, y, dy []float32) {
	for i, v := range y {
		if v > 0 {
			dx[i] = dy[i]
		} else {
			dx[i] = dy[i] * (v + 1)
		}
	}
}

func (pure) reluGrad(dx, y, dy []float32) {
	for i, v := range y {
		if v > 0 {
			dx[i] = dy[i]
		} else {
			dx[i] = 0
		}
	}
}

func (pure) absGrad(dx, x, dy []float32) {
	for i, v := range x {
		switch {
		case v > 0:
			dx[i] = dy[i]
		case v < 0:
			dx[i] = -dy[i]
		default:
			dx[i] = 0
		}
	}
}

func (pure) add(dst, x []float32) {
	for i, v := range x {
		dst[i] += v
	}
}

func (pure) sub(dst, x []float32) {
	for i, v := range x {
		dst[i] -= v
	}
}

func (pure) mul(dst, x []float32) {
	for i, v := range x {
		dst[i] *= v
	}
}

func (pure) axpy(dst []float32, alpha float32, x []float32) {
	for i, v := range x {
		dst[i] += alpha * v
	}
}

func (pure) scale(dst []float32, alpha float32) {
	for i := range dst {
		dst[i] *= alpha
	}
}

func (pure) dot(x, y []float32) float64 {
	var sum float64
	for i, v := range x {
		sum += float64(v) * float64(y[i])
	}
	return sum
}

func (pure) rmsProp(p, g, v []float32, lr, alpha, eps, gscale float32) {
	for i, gi := range g {
		s := gi * gscale
		v[i] = alpha*v[i] + (1-alpha)*s*s
		p[i] -= lr * s / (sqrt32(v[i]) + eps)
	}
}

func (pure) adam(p, g, m, v []float32, c adamCoeffs) {
	for i, gi := range g {
		s := gi * c.gscale
		m[i] = c.beta1*m[i] + (1-c.beta1)*s
		v[i] = c.beta2*v[i] + (1-c.beta2)*s*s
		p[i] -= c.step * m[i] / (sqrt32(v[i])*c.root + c.eps)
	}
}

func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }
