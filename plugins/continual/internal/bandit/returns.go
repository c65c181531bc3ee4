package bandit

import (
	"math"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/rng"
)

// mixing is EXP3's share of uniform exploration, g.
const mixing = 0.2

// byReturns is EXP3 over the episodes of a test. Arm k acts for a whole episode
// with probability p_k = (1-g) w_k / sum w + g/K. An episode of return x, in units
// of the largest return, multiplies its w_k by exp(g x / (p_k K)).
type byReturns struct {
	tally
	arms []Arm
	most float64 // largest return
	w    weights // log w
	p    []float64
	arm  int
	draw *rng.Stream
}

var _ core.HeadStepper = (*byReturns)(nil)

func newByReturns(arms []Arm, most float64) *byReturns {
	k := len(arms)
	return &byReturns{tally: make(tally, k), arms: arms, most: most, w: make(weights, k), p: make([]float64, k)}
}

// StepHeads draws an arm at an episode's start and keeps it.
func (b *byReturns) StepHeads(v *core.StepView, heads []int32) error {
	if b.draw == nil {
		b.draw = v.Source.Child("arms").Stream()
	}
	if v.T == 0 {
		b.w.softmax(b.p)
		for k := range b.p {
			b.p[k] = (1-mixing)*b.p[k] + mixing/float64(len(b.p))
		}
		b.arm = pick(b.p, b.draw)
	}
	b.tally[b.arm]++
	for i := range heads {
		heads[i] = b.arms[b.arm].Head
	}
	return nil
}

// EpisodeEnded rewards the arm that has acted.
func (b *byReturns) EpisodeEnded(_ int, e *episode.Episode) error {
	x := math.Max(0, math.Min(1, e.Return()/b.most))
	b.w[b.arm] += mixing * x / (b.p[b.arm] * float64(len(b.w)))
	return nil
}
