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
		if err := l.fix(term.Head); err != nil {
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
		ps, err := l.plansFor(parts[k].spec, len(b.Shard[0].Episodes), to.term.kind())
		if err != nil {
			return lossStats{}, err
		}
		for base := 0; base < len(b.Shard); base += len(ps) {
			if err := ps.run(b.Shard[base:min(base+len(ps), len(b.Shard))], to); err != nil {
				return lossStats{}, err
			}
			for i, p := range ps[:min(len(ps), len(b.Shard)-base)] {
				if len(b.Shard[base+i].Episodes) == 0 {
					continue
				}
				sums.add(p.sums())
				if k == 0 && base+i == 0 {
					copy(dst, at.Of(p.grads.Grads))
				} else {
					nn.Add(dst, at.Of(p.grads.Grads))
				}
			}
		}
	}
	return sums, nil
}

// run computes at most as many shards as there are graphs, side by side.
func (ps plans) run(shards []episode.Shard, to goal) error {
	if len(shards) == 1 {
		return failed(ps[0].run(&shards[0], to))
	}
	return ps.each(len(shards), func(i int) error { return ps[i].run(&shards[i], to) })
}

// each does work(0) to work(n-1) side by side, each with a graph of its own, and
// returns the error of the first that has one.
func (ps plans) each(n int, work func(i int) error) error {
	errs := make([]error, n)
	var others sync.WaitGroup
	for i := 1; i < n; i++ {
		others.Go(func() { errs[i] = work(i) })
	}
	errs[0] = work(0)
	others.Wait()
	for _, err := range errs {
		if err != nil {
			return failed(err)
		}
	}
	return nil
}

// failed names the learner in an error.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("learner: %w", err)
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
