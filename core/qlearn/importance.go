package qlearn

import (
	"fmt"

	"macpro/core"
	"macpro/core/episode"
)

// Importance returns the mean over episodes of the squared gradient of each
// single episode's objective, for phi and the live head; see core.Learner. The
// objective is a mean over the episode's own transitions: of the squared TD
// error with constant targets, or of Q_tot of the taken joint actions.
// Penalties and the clip play no part, and nothing of the learner changes.
func (l *Learner) Importance(batch []*episode.Episode, src core.ImportanceSource) ([]float32, error) {
	of := tdLoss
	switch src {
	case core.ImportanceTDLoss:
	case core.ImportanceQGrad:
		of = qTaken
	default:
		return nil, fmt.Errorf("learner: unknown importance source %q, want %q or %q", src, core.ImportanceTDLoss, core.ImportanceQGrad)
	}
	if len(batch) == 0 {
		return nil, fmt.Errorf("learner: importance of no episodes")
	}
	if err := l.check(batch); err != nil {
		return nil, err
	}
	ps, err := l.plansFor(1)
	if err != nil {
		return nil, err
	}
	var sums [episode.Shards][]float64
	err = l.parallel(func(i int) error {
		sums[i] = make([]float64, l.agentRange().Len())
		return ps[i].squares(batch[min(i, len(batch)):], of, sums[i])
	})
	if err != nil {
		return nil, err
	}
	mean := make([]float32, len(sums[0]))
	for j := range mean {
		mean[j] = float32((sums[0][j] + sums[1][j]) / float64(len(batch)))
	}
	return mean, nil
}

// squares adds up the squared gradients of every episode of the shard: the
// first of the list and every Shards-th after it.
func (p *plan) squares(batch []*episode.Episode, of objective, sum []float64) error {
	var single episode.Batch
	for j := 0; j < len(batch); j += episode.Shards {
		if err := single.Arrange(batch[j : j+1]); err != nil {
			return err
		}
		if err := p.run(&single.Shard[0], of, single.Steps); err != nil {
			return err
		}
		for k := range sum {
			g := float64(p.grads.Grads[k])
			sum[k] += g * g
		}
	}
	return nil
}
