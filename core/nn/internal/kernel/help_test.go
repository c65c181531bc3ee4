package kernel

import (
	"fmt"
	"math"
	"testing"
)

// eachPath runs f once for every implementation that this machine can run.
func eachPath(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	for _, p := range paths {
		t.Run(p.name(), func(t *testing.T) {
			use(t, p)
			f(t)
		})
	}
}

// use makes p the active path until the test ends.
func use(t testing.TB, p path) {
	before := active
	active = p
	t.Cleanup(func() { active = before })
}

// noise returns n numbers in [-1, 1), the same for the same seed.
func noise(n int, seed uint64) []float32 {
	x := make([]float32, n)
	for i := range x {
		seed = seed*6364136223846793005 + 1442695040888963407
		x[i] = float32(int32(seed>>32)) / (1 << 31)
	}
	return x
}

// poison is a NaN with a payload: it spoils every result it enters, and its
// bits show whether it was overwritten.
var poison = math.Float32frombits(0x7fc0dead)

// padded returns the [rows,cols] matrix x with leading dimension ld, the gaps
// filled with poison and no element after the last one.
func padded(rows, cols, ld int, x []float32) []float32 {
	if rows == 0 || cols == 0 {
		return nil
	}
	out := make([]float32, (rows-1)*ld+cols)
	for i := range out {
		out[i] = poison
	}
	for i := range rows {
		copy(out[i*ld:i*ld+cols], x[i*cols:(i+1)*cols])
	}
	return out
}

// gapsIntact reports whether the gaps of a matrix made by padded are untouched.
func gapsIntact(rows, cols, ld int, x []float32) error {
	for i := range rows {
		for j := cols; j < ld && i*ld+j < len(x); j++ {
			if got := math.Float32bits(x[i*ld+j]); got != math.Float32bits(poison) {
				return fmt.Errorf("row %d: element %d outside the matrix was overwritten with %#x", i, j, got)
			}
		}
	}
	return nil
}

// sameBits reports the first position where two slices differ in bits.
func sameBits(got, want []float32) error {
	if len(got) != len(want) {
		return fmt.Errorf("length %d, want %d", len(got), len(want))
	}
	for i := range got {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			return fmt.Errorf("element %d is %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}

// near reports the first element further than tol from want.
func near(got []float32, want []float64, tol float64) error {
	for i := range got {
		if d := math.Abs(float64(got[i]) - want[i]); !(d <= tol) {
			return fmt.Errorf("element %d is %v, want %v (off by %.3g, allowed %.3g)", i, got[i], want[i], d, tol)
		}
	}
	return nil
}
