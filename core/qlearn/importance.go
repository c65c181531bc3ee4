package qlearn

import (
	"fmt"
	"math"

	"macpro/core"
	"macpro/core/episode"
)

// Importance returns the mean over episodes of the squared gradient of each
// single episode's objective, for phi and the live head; see core.Learner. The
// objective is a mean over the episode's own transitions. src chooses of what: the
// squared TD error with constant targets, Q_tot of the taken joint actions, or the
// squared norms of the agents' values of available actions. For the last one the
// absolute gradient counts, not its square. Penalties and the clip play no part,
// and nothing of the learner changes.
func (l *Learner) Importance(batch []*episode.Episode, src core.ImportanceSource) ([]float32, error) {
	var each goal
	measure := func(g float64) float64 { return g * g }
	switch src {
	case core.ImportanceTDLoss:
		each.of = tdLoss
	case core.ImportanceQGrad:
		each.of = qTaken
	case core.ImportanceValues:
		each.of, each.term = noTeamObj, &valueTerm{ValueTerm: core.ValueTerm{Loss: valueNorm, Coef: 1}}
		measure = math.Abs
	default:
		return nil, fmt.Errorf("learner: unknown importance source %q, want %q, %q or %q", src, core.ImportanceTDLoss, core.ImportanceQGrad, core.ImportanceValues)
	}
	if len(batch) == 0 {
		return nil, fmt.Errorf("learner: importance of no episodes")
	}
	parts, err := l.divide(batch)
	if err != nil {
		return nil, err
	}
	sums := make([][]float64, l.cfg.Shards)
	for i := range sums {
		sums[i] = make([]float64, l.agentRange().Len())
	}
	for k := range parts {
		eps := parts[k].episodes
		ps, err := l.plansFor(parts[k].spec, 1, each.term.kind())
		if err != nil {
			return nil, err
		}
		for base := 0; base < len(sums); base += len(ps) {
			err = ps.each(min(len(ps), len(sums)-base), func(i int) error {
				first := base + i
				return ps[i].measure(eps[min(first, len(eps)):], len(sums), each, measure, sums[first])
			})
			if err != nil {
				return nil, err
			}
		}
	}
	mean := make([]float32, len(sums[0]))
	for j := range mean {
		sum := sums[0][j]
		for _, s := range sums[1:] {
			sum += s[j]
		}
		mean[j] = float32(sum / float64(len(batch)))
	}
	return mean, nil
}

// measure adds up what is measured of the gradients of every episode of the
// shard: the first of the list and every one that is a multiple of shards after it.
func (p *plan) measure(batch []*episode.Episode, shards int, to goal, of func(g float64) float64, sum []float64) error {
	var single episode.Batch
	for j := 0; j < len(batch); j += shards {
		if err := single.Arrange(batch[j : j+1]); err != nil {
			return err
		}
		own := to
		own.total = single.Steps
		if to.term != nil {
			own.term = &valueTerm{ValueTerm: to.term.ValueTerm, rows: single.Steps * single.N}
		}
		if err := p.run(&single.Shard[0], own); err != nil {
			return err
		}
		for k := range sum {
			sum[k] += of(float64(p.grads.Grads[k]))
		}
	}
	return nil
}
