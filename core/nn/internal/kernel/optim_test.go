package kernel

import (
	"math"
	"testing"
)

func TestRMSProp(t *testing.T) {
	const lr, alpha, eps, gscale = 0.05, 0.99, 1e-5, 0.5
	eachPath(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 7, 8, 29} {
			p, g, v := noise(n, 1), noise(n, 2), noise(n, 3)
			Abs(v, v)
			wantP, wantV := widen(p), widen(v)
			for range 3 {
				RMSProp(p, g, v, lr, alpha, eps, gscale)
				for i := range wantP {
					s := float64(g[i]) * gscale
					wantV[i] = alpha*wantV[i] + (1-alpha)*s*s
					wantP[i] -= lr * s / (math.Sqrt(wantV[i]) + eps)
				}
			}
			if err := near(p, wantP, 1e-6); err != nil {
				t.Errorf("n=%d: p: %v", n, err)
			}
			if err := near(v, wantV, 1e-6); err != nil {
				t.Errorf("n=%d: v: %v", n, err)
			}
		}
	})
}

func TestAdam(t *testing.T) {
	const lr, beta1, beta2, eps, gscale = 0.05, 0.9, 0.999, 1e-8, 2
	eachPath(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 7, 8, 29} {
			p, g, m, v := noise(n, 1), noise(n, 2), make([]float32, n), make([]float32, n)
			wantP, wantM, wantV := widen(p), widen(m), widen(v)
			for step := 1; step <= 3; step++ {
				Adam(p, g, m, v, lr, beta1, beta2, eps, gscale, step)
				for i := range wantP {
					s := float64(g[i]) * gscale
					wantM[i] = beta1*wantM[i] + (1-beta1)*s
					wantV[i] = beta2*wantV[i] + (1-beta2)*s*s
					mHat := wantM[i] / (1 - math.Pow(beta1, float64(step)))
					vHat := wantV[i] / (1 - math.Pow(beta2, float64(step)))
					wantP[i] -= lr * mHat / (math.Sqrt(vHat) + eps)
				}
			}
			for name, pair := range map[string]struct {
				got  []float32
				want []float64
			}{"p": {p, wantP}, "m": {m, wantM}, "v": {v, wantV}} {
				if err := near(pair.got, pair.want, 3e-6); err != nil {
					t.Errorf("n=%d: %s: %v", n, name, err)
				}
			}
		}
	})
}
