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
	if err := l.check(batch); err != nil {
		return core.TrainStats{}, err
	}
	if err := l.batch.Arrange(batch); err != nil {
		return core.TrainStats{}, fmt.Errorf("learner: %w", err)
	}
	sums, err := l.gradient(&l.batch)
	if err != nil {
		return core.TrainStats{}, err
	}
	steps := float64(l.batch.Steps)
	st := core.TrainStats{
		TDLoss: sums.sq / steps,
		TDAbs:  sums.abs / steps,
		QTaken: sums.taken / steps,
		Target: sums.target / steps,
	}
	if err := l.update(&st); err != nil {
		return core.TrainStats{}, err
	}
	st.Loss = st.TDLoss + st.Penalty
	return st, nil
}

// check makes sure that the episodes are sound and fit the current task.
func (l *Learner) check(batch []*episode.Episode) error {
	want := shapesOf(l.spec)
	for _, e := range batch {
		if err := e.Check(); err != nil {
			return fmt.Errorf("learner: %w", err)
		}
		got := shapes{e.N, e.A, e.ObsWidth, e.StateWidth}
		if got != want || e.T > l.spec.Limit {
			return fmt.Errorf("learner: episode %d of task %d has %v and %d transitions; task %s/%s has %v and at most %d",
				e.Index, e.Task, got, e.T, l.spec.Env, l.spec.Task, want, l.spec.Limit)
		}
		for i, a := range e.Actions {
			if a < 0 || int(a) >= e.A {
				return fmt.Errorf("learner: episode %d of task %d, step %d, agent %d: action %d, want 0 to %d",
					e.Index, e.Task, i/e.N, i%e.N, a, e.A-1)
			}
		}
	}
	return nil
}

// gradient runs the graphs of all shards and leaves the sum of their gradients
// in the network.
func (l *Learner) gradient(b *episode.Batch) (sums lossStats, err error) {
	ps, err := l.plansFor(len(b.Shard[0].Episodes))
	if err != nil {
		return lossStats{}, err
	}
	if l.threads > 1 {
		err = l.parallel(func(i int) error { return ps[i].run(&b.Shard[i], tdLoss, b.Steps) })
		if err != nil {
			return lossStats{}, err
		}
	}
	for i, p := range ps {
		if len(b.Shard[i].Episodes) == 0 {
			continue
		}
		if l.threads == 1 {
			if err := p.run(&b.Shard[i], tdLoss, b.Steps); err != nil {
				return lossStats{}, fmt.Errorf("learner: %w", err)
			}
		}
		sums.add(p.loss.stats)
		if i == 0 {
			copy(l.net.Grads, p.grads.Grads)
		} else {
			nn.Add(l.net.Grads, p.grads.Grads)
		}
	}
	return sums, nil
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
func (p *plan) run(s *episode.Shard, of objective, total int) error {
	if len(s.Episodes) == 0 {
		return nil
	}
	if err := p.load(s, of, total); err != nil {
		return err
	}
	return p.graph.Run()
}
