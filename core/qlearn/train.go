package qlearn

import (
	"fmt"
	"sync"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
)

// Train makes one gradient step on phi, the live head and the mixer; see
// core.Learner. After an error nothing has changed.
func (l *Learner) Train(batch []*episode.Episode) (core.TrainStats, error) {
	term := l.term
	l.term = nil
	parts, err := l.divide(batch)
	if err != nil {
		return core.TrainStats{}, err
	}
	to := goal{of: tdLoss, total: stepsOf(parts), term: term}
	if term != nil {
		if err := term.assign(batch, &to.total); err != nil {
			return core.TrainStats{}, err
		}
	}
	sums, err := l.gradient(parts, to, l.net.All(), l.net.Grads)
	if err != nil {
		return core.TrainStats{}, err
	}
	steps := float64(to.total)
	st := core.TrainStats{
		TDLoss:    sums.sq / steps,
		ValueLoss: sums.value,
		TDAbs:     sums.abs / steps,
		QTaken:    sums.taken / steps,
		Target:    sums.target / steps,
	}
	if err := l.update(&st); err != nil {
		return core.TrainStats{}, err
	}
	st.Loss = st.TDLoss + st.Penalty + st.ValueLoss
	return st, nil
}

// gradient runs the graphs of all parts and shards and writes the sum of their
// gradients with respect to the parameters at a range into dst.
func (l *Learner) gradient(parts []part, to goal, at nn.Range, dst []float32) (sums lossStats, err error) {
	for k := range parts {
		b := &parts[k].batch
		ps, err := l.plansFor(parts[k].spec, len(b.Shard[0].Episodes), to.term != nil)
		if err != nil {
			return lossStats{}, err
		}
		if l.threads > 1 {
			if err := l.runAll(ps, b, to); err != nil {
				return lossStats{}, err
			}
		}
		for i, p := range ps {
			if len(b.Shard[i].Episodes) == 0 {
				continue
			}
			if l.threads == 1 {
				if err := p.run(&b.Shard[i], to); err != nil {
					return lossStats{}, fmt.Errorf("learner: %w", err)
				}
			}
			sums.add(p.sums())
			if k == 0 && i == 0 {
				copy(dst, at.Of(p.grads.Grads))
			} else {
				nn.Add(dst, at.Of(p.grads.Grads))
			}
		}
	}
	return sums, nil
}

// runAll computes all shards of a batch side by side.
func (l *Learner) runAll(ps *plans, b *episode.Batch, to goal) error {
	return l.parallel(func(i int) error { return ps[i].run(&b.Shard[i], to) })
}

// parallel does the work of all shards, in as many goroutines as there are
// threads, and returns the error of the first shard that has one.
func (l *Learner) parallel(work func(shard int) error) error {
	var errs [episode.Shards]error
	var others sync.WaitGroup
	for i := 1; i < episode.Shards && l.threads > 1; i++ {
		others.Go(func() { errs[i] = work(i) })
	}
	errs[0] = work(0)
	for i := 1; i < episode.Shards && l.threads == 1; i++ {
		errs[i] = work(i)
	}
	others.Wait()
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("learner: %w", err)
		}
	}
	return nil
}

// run computes a shard; an empty one needs no work and leaves the gradients of
// an earlier run in place.
func (p *plan) run(s *episode.Shard, to goal) error {
	if len(s.Episodes) == 0 {
		return nil
	}
	if err := p.load(s, to); err != nil {
		return err
	}
	return p.graph.Run()
}

// sums are those of the last run.
func (p *plan) sums() lossStats {
	s := p.loss.stats
	if p.term != nil {
		s.value = p.term.value
	}
	return s
}
