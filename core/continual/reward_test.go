package continual

import (
	"strings"
	"testing"

	"macpro/core/episode"
)

// Rewards that no learner can take are told beside what became of them.
func TestLargestRewardIsTold(t *testing.T) {
	batch := []*episode.Episode{
		{T: 2, Reward: []float32{1, -2}},
		{T: 1, Reward: []float32{-3e38, 3.1e38}}, // the second was never reached
	}
	d := &DivergedError{Quantity: "loss", Value: "+Inf", Learner: "qmix", Env: "huge", Reward: largestReward(batch)}
	if text := d.Error(); !strings.Contains(text, "learner qmix") || !strings.HasSuffix(text, "the loss is +Inf; the largest reward of env huge in the last batch is -3e+38") {
		t.Error(text)
	}
}
