package metrics

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Dormant is the share of units in [0,1] whose mean absolute activation is at most tau
// times the mean of their layer (Sokar et al. 2023). layers holds the mean absolute
// activations by layer. All units of a silent layer are dormant. NaN without units.
func Dormant(layers [][]float32, tau float64) float64 {
	var dormant, units float64
	for _, layer := range layers {
		var sum float64
		for _, x := range layer {
			sum += float64(x)
		}
		for _, x := range layer {
			if float64(x)*float64(len(layer)) <= tau*sum {
				dormant++
			}
		}
		units += float64(len(layer))
	}
	return dormant / units
}

// EffectiveRank is the smallest number of singular values of a feature matrix that hold
// 1-delta of their sum (Kumar et al. 2021); 0 for features that are all zero. gram
// [width, width] is the mean product of each two features: the squares of the singular
// values are its eigenvalues, up to a factor. ok is false if they do not exist.
func EffectiveRank(gram []float32, width int, delta float64) (rank int, ok bool) {
	g := mat.NewSymDense(width, nil)
	for i := range width {
		for j := i; j < width; j++ {
			g.SetSym(i, j, float64(gram[i*width+j]))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(g, false) {
		return 0, false
	}
	values := e.Values(nil) // ascending
	// A Gram matrix in float32 has rounding errors of this size in its eigenvalues.
	least := values[width-1] * float64(width) * 0x1p-23
	var sum, part float64
	for i, v := range values {
		if v <= least {
			v = 0
		}
		values[i] = math.Sqrt(v)
		sum += values[i]
	}
	for part < (1-delta)*sum {
		rank++
		part += values[width-rank]
	}
	return rank, true
}
