package bandit

import (
	"math"
	"slices"

	"macpro/core/rng"
)

// Bounds of a score and of the divisor of a gain.
const (
	leastError   = 1e-8
	mostScore    = 50
	leastDivisor = 1e-4
)

// weights are the logarithmic preferences l of the arms.
type weights []float64

// update rewards every arm for its error. A score decays before it is a divisor, as
// in the authors' code.
func (w weights) update(c *Config, errs []float64) {
	for j := range w {
		w[j] *= c.Decay
		gain := min(1/max(errs[j], leastError), mostScore)
		if !c.Greedy {
			gain /= max(math.Exp(w[j]), leastDivisor)
		}
		w[j] += c.LR * gain
	}
}

func (w weights) softmax(p []float64) {
	most, sum := slices.Max(w), 0.0
	for j, l := range w {
		p[j] = math.Exp(l - most)
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
}

// pick draws an arm with probabilities p.
func pick(p []float64, from *rng.Stream) int {
	u := from.Float64()
	for j, x := range p {
		if u < x {
			return j
		}
		u -= x
	}
	// Rounding may leave a rest of u; it belongs to the last arm that can act.
	last := len(p) - 1
	for last > 0 && p[last] == 0 {
		last--
	}
	return last
}
