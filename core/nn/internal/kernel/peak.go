package kernel

import "time"

// bestOf runs work in batches for about d and returns the best rate of a
// batch in GFLOP/s. work(reps) returns the operations it did.
func bestOf(d time.Duration, work func(reps int) float64) float64 {
	const batches = 10
	reps, best := 1, 0.0
	for start := time.Now(); ; {
		t0 := time.Now()
		flops := work(reps)
		took := time.Since(t0)
		if took < d/batches && took < d/2 {
			reps *= 2
		} else {
			best = max(best, flops/float64(took.Nanoseconds()))
		}
		if time.Since(start) >= d && best > 0 {
			return best
		}
	}
}

// Peak returns the GFLOP/s that one core reaches in a loop of independent
// multiply-adds, measured for about d: the roof of [Gemm]. On the avx2 path the
// operands are in registers, on the pure path in the first-level cache.
func Peak(d time.Duration) float64 {
	return bestOf(d, func(reps int) float64 { return active.fma(100 * reps) })
}

// PeakBF16 returns the GFLOP/s that one core reaches in a loop of products of
// bf16 pairs, measured for about d. It is zero if the path in use emulates them.
func PeakBF16(d time.Duration) float64 {
	p, ok := active.(interface{ pairPeak(rounds int) float64 })
	if !ok {
		return 0
	}
	return bestOf(d, func(reps int) float64 { return p.pairPeak(100 * reps) })
}

// Rate returns the GFLOP/s of [Gemm] (NN, one goroutine) at the given shape,
// measured for about d.
func Rate(m, n, k int, d time.Duration) float64 {
	var s Scratch
	a, b, c := make([]float32, m*k), make([]float32, k*n), make([]float32, m*n)
	for i := range a {
		a[i] = float32(i%7) - 3
	}
	for i := range b {
		b[i] = float32(i%5) - 2
	}
	return bestOf(d, func(reps int) float64 {
		for range reps {
			Gemm(NN, m, n, k, a, k, b, n, false, c, n, &s)
		}
		return 2 * float64(m) * float64(n) * float64(k) * float64(reps)
	})
}
