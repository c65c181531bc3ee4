package qlearn

import (
	"fmt"

	"macpro/core"
	"macpro/core/episode"
)

// part is the episodes of a batch that the graphs of one kind of task serve.
type part struct {
	spec     *core.EnvSpec
	episodes []*episode.Episode
	batch    episode.Batch
}

// divide checks the episodes of a batch and deals them to parts, in the order of
// their first episodes. The parts are valid until the next call.
func (l *Learner) divide(batch []*episode.Episode) ([]part, error) {
	all := l.parts[:0]
	for _, e := range batch {
		spec, err := l.check(e)
		if err != nil {
			return nil, err
		}
		k, key := 0, keyOf(spec)
		for k < len(all) && keyOf(all[k].spec) != key {
			k++
		}
		if k == len(all) {
			if k < cap(all) {
				all = all[:k+1] // with the memory of an earlier batch
			} else {
				all = append(all, part{})
			}
			all[k].spec, all[k].episodes = spec, all[k].episodes[:0]
		}
		all[k].episodes = append(all[k].episodes, e)
	}
	if l.parts = all; len(all) == 0 {
		return nil, fmt.Errorf("learner: a batch of no episodes")
	}
	for k := range all {
		all[k].batch.Parts = l.cfg.Shards
		if err := all[k].batch.Arrange(all[k].episodes); err != nil {
			return nil, fmt.Errorf("learner: %w", err)
		}
	}
	return all, nil
}

func stepsOf(parts []part) int {
	steps := 0
	for k := range parts {
		steps += parts[k].batch.Steps
	}
	return steps
}

// check makes sure that an episode is sound and fits its task, which it returns.
func (l *Learner) check(e *episode.Episode) (*core.EnvSpec, error) {
	if err := e.Check(); err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	spec := &l.spec
	if l.tasks != nil {
		if e.Task < 0 || e.Task >= len(l.tasks) {
			return nil, fmt.Errorf("learner: episode %d is of task %d, the run has tasks 0 to %d", e.Index, e.Task, len(l.tasks)-1)
		}
		spec = &l.tasks[e.Task]
	}
	got, want := shapes{e.N, e.A, e.ObsWidth, e.StateWidth}, shapesOf(*spec)
	if got != want || e.T > spec.Limit {
		return nil, fmt.Errorf("learner: episode %d of task %d has %v and %d transitions; task %s/%s has %v and at most %d",
			e.Index, e.Task, got, e.T, spec.Env, spec.Task, want, spec.Limit)
	}
	for i, a := range e.Actions {
		if a < 0 || int(a) >= e.A {
			return nil, fmt.Errorf("learner: episode %d of task %d, step %d, agent %d: action %d, want 0 to %d",
				e.Index, e.Task, i/e.N, i%e.N, a, e.A-1)
		}
	}
	return spec, nil
}
