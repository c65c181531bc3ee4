package kernel

import (
	"testing"
	"time"
)

// TestPathNames checks that the pure path is always there and that the best
// one is in use.
func TestPathNames(t *testing.T) {
	if paths[0].name() != "purego" {
		t.Errorf("first path is %q, want purego", paths[0].name())
	}
	if got, want := Path(), paths[len(paths)-1].name(); got != want {
		t.Errorf("Path() = %q, want %q", got, want)
	}
}

func TestPeakAndRate(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		peak, rate := Peak(5*time.Millisecond), Rate(24, 32, 32, 5*time.Millisecond)
		if peak <= 0 || rate <= 0 {
			t.Errorf("peak %v, rate %v GFLOP/s, want both above zero", peak, rate)
		}
	})
}

// TestNoAllocations runs every operation in its steady state.
func TestNoAllocations(t *testing.T) {
	const m, n, k = 20, 24, 33
	var s Scratch
	var pk Packed
	a, b, c, bias := noise(m*k, 1), noise(k*n, 2), noise(m*n, 3), noise(n, 4)
	x, y, z, w := noise(50, 1), noise(50, 2), noise(50, 3), noise(50, 4)
	ln, gru := newLayerNormCase(4, 20), newGRUCase(3, 12)
	eachPath(t, func(t *testing.T) {
		for name, f := range map[string]func(){
			"Gemm NN": func() { Gemm(NN, m, n, k, a, k, b, n, false, c, n, &s) },
			"Gemm NT": func() { Gemm(NT, m, n, k, a, k, b, k, false, c, n, &s) },
			"Gemm TN": func() { Gemm(TN, m, n, k, a, m, b, n, true, c, n, &s) },
			"Packed": func() {
				pk.Pack(false, k, n, b, n)
				GemmPacked(m, a, k, &pk, true, c, n, nil)
				GemmBiasAct(m, a, k, &pk, bias, ActReLU, c, n, nil)
			},
			"bf16": func() {
				Gemm(TN|BF16, m, n, k, a, m, b, n, true, c, n, &s)
				pk.PackBF16(true, k, n, b, k)
				GemmBiasAct(m, a, k, &pk, bias, ActReLU, c, n, &s)
			},
			"elementwise": func() {
				for _, e := range elementwise {
					e.f(x, y, z)
				}
			},
			"sums":       func() { x[0] = float32(Dot(y, z) + SumSq(z)) },
			"rows":       func() { BiasAct(m, n, c, n, bias, ActAbs); ColSumAdd(bias, m, n, c, n) },
			"softmax":    func() { SoftmaxRows(2, 25, x, 25); SoftmaxRowsGrad(2, 25, z, x, z, 25) },
			"layer norm": func() { ln.forward(); ln.backward() },
			"GRU":        func() { gru.forward(); gru.backward() },
			"optimisers": func() { RMSProp(x, y, w, 1e-3, 0.9, 1e-5, 1); Adam(x, y, z, w, 1e-3, 0.9, 0.9, 1e-5, 1, 2) },
		} {
			f()
			if got := testing.AllocsPerRun(20, f); got != 0 {
				t.Errorf("%s allocates %v times a run, want 0", name, got)
			}
		}
	})
}
