//go:build amd64 && !purego

package kernel

import (
	"fmt"
	"math"
	"testing"
)

// wild is noise of many magnitudes with zeros of both signs, infinities, numbers
// that overflow an exponential and numbers without full precision in it.
func wild(n int, seed uint64) []float32 {
	x := noise(n, seed)
	special := []float32{0, float32(math.Copysign(0, -1)), 88.5, -88.5, 1e-30, -1e-30, 1e-40, -1e-40, 300, -300}
	for i := range x {
		switch pick := int(1000 * math.Abs(float64(x[i]))); {
		case pick%7 == 0:
			x[i] = special[pick%len(special)]
		case pick%5 == 0:
			x[i] *= 20
		}
	}
	return x
}

// sameNumbers is sameBits, but one NaN is as good as another.
func sameNumbers(got, want []float32) error {
	for i := range got {
		if got[i] != got[i] && want[i] != want[i] {
			continue
		}
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			return fmt.Errorf("element %d is %v (%#x), want %v (%#x)", i, got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
		}
	}
	return nil
}

// onBoth runs f on copies of the slices with either path and compares what is in
// them afterwards.
func onBoth(t *testing.T, what string, slices [][]float32, f func(p path, s [][]float32)) {
	t.Helper()
	narrow, wide := widePaths(t)
	var results [2][][]float32
	for k, p := range []path{narrow, wide} {
		for _, s := range slices {
			results[k] = append(results[k], append([]float32(nil), s...))
		}
		f(p, results[k])
	}
	for i := range slices {
		if err := sameNumbers(results[1][i], results[0][i]); err != nil {
			t.Fatalf("%s, slice %d: %s is not %s: %v", what, i, wide.name(), narrow.name(), err)
		}
	}
}

// The functions on rows have the same bits for every width around the registers'
// and beyond the widest row that they keep in them.
func TestWideRowsHaveTheSameBits(t *testing.T) {
	for cols := 1; cols <= 140; cols++ {
		for _, make := range []func(int, uint64) []float32{noise, wild} {
			const rows = 5
			seed := uint64(cols)
			x, y, g, b := make(rows*(cols+3), seed), make(rows*(cols+3), seed+1), make(cols, seed+2), make(cols, seed+3)
			onBoth(t, fmt.Sprintf("softmax of %d", cols), [][]float32{x, y, y}, func(p path, s [][]float32) {
				p.softmax(rows, cols, s[0], cols+3)
				p.softmaxGrad(rows, cols, s[1], s[0], s[2], cols+3)
			})
			onBoth(t, fmt.Sprintf("layer norm of %d", cols), [][]float32{x, g, b, y, g, b, x[:rows], x[:rows]}, func(p path, s [][]float32) {
				p.layerNorm(rows, cols, s[0], s[1], s[2], 1e-5, s[3], s[6], s[7])
				p.layerNormGrad(rows, cols, s[0], s[1], s[6], s[7], s[3], s[3], s[4], s[5])
			})
			gx, gh, h := make(3*rows*cols, seed+4), make(3*rows*cols, seed+5), make(rows*cols, seed+6)
			onBoth(t, fmt.Sprintf("GRU of %d", cols), [][]float32{gx, gh, h, h, h, h, h}, func(p path, s [][]float32) {
				p.gru(rows, cols, s[0], s[1], s[2], s[3], s[4], s[5], s[6])
				p.gruGrad(rows, cols, s[1], s[2], s[3], s[4], s[5], s[6], s[0], s[1], s[6])
			})
		}
	}
}

// A sum of underflown products is -0 in both forms, and dy keeps its sign.
func TestWideSoftmaxGradOfNegativeZeros(t *testing.T) {
	for cols := 1; cols <= 40; cols++ {
		y, dy := make([]float32, cols), make([]float32, cols)
		for i := range y {
			y[i], dy[i] = 1e-30, -1e-30
		}
		dy[0] = float32(math.Copysign(0, -1))
		onBoth(t, fmt.Sprintf("softmax gradient of %d", cols), [][]float32{dy, y, dy}, func(p path, s [][]float32) {
			p.softmaxGrad(1, cols, s[0], s[1], s[2], cols)
		})
	}
}

func TestWideVectorsHaveTheSameBits(t *testing.T) {
	for n := range 70 {
		for _, make := range []func(int, uint64) []float32{noise, wild} {
			d, x, y, z := make(n, 1), make(n, 2), make(n, 3), make(n, 4)
			for i := range z {
				z[i] = float32(math.Abs(float64(z[i])))
			}
			for name, f := range map[string]func(p path, s [][]float32){
				"exp":      func(p path, s [][]float32) { p.exp(s[0], s[1]) },
				"tanh":     func(p path, s [][]float32) { p.tanh(s[0], s[1]) },
				"sigmoid":  func(p path, s [][]float32) { p.sigmoid(s[0], s[1]) },
				"elu":      func(p path, s [][]float32) { p.elu(s[0], s[1]) },
				"relu":     func(p path, s [][]float32) { p.relu(s[0], s[1]) },
				"abs":      func(p path, s [][]float32) { p.abs(s[0], s[1]) },
				"eluGrad":  func(p path, s [][]float32) { p.eluGrad(s[0], s[1], s[2]) },
				"reluGrad": func(p path, s [][]float32) { p.reluGrad(s[0], s[1], s[2]) },
				"absGrad":  func(p path, s [][]float32) { p.absGrad(s[0], s[1], s[2]) },
				"add":      func(p path, s [][]float32) { p.add(s[0], s[1]) },
				"sub":      func(p path, s [][]float32) { p.sub(s[0], s[1]) },
				"mul":      func(p path, s [][]float32) { p.mul(s[0], s[1]) },
				"axpy":     func(p path, s [][]float32) { p.axpy(s[0], 0.7, s[1]) },
				"scale":    func(p path, s [][]float32) { p.scale(s[0], 0.7) },
				"bias": func(p path, s [][]float32) {
					if n > 0 {
						p.biasAct(1, n, s[0], n, s[1], ActReLU)
						p.biasAct(1, n, s[1], n, s[2], ActAbs)
					}
				},
				"rmsProp": func(p path, s [][]float32) { p.rmsProp(s[0], s[1], s[3], 0.1, 0.9, 1e-5, 0.5) },
				"adam": func(p path, s [][]float32) {
					p.adam(s[0], s[1], s[2], s[3], adamCoeffs{0.9, 0.99, 0.01, 1.5, 1e-8, 0.5})
				},
			} {
				onBoth(t, fmt.Sprintf("%s of %d", name, n), [][]float32{d, x, y, z}, f)
			}
		}
	}
}
