package qlearn

import (
	"fmt"

	"macpro/core"
)

// HiddenWidth is the width of the recurrent state of an agent.
func (l *Learner) HiddenWidth() int { return l.agent.hidden() }

// Act computes the action values of one time step; see core.Learner. The
// features are computed once for all rows, whatever their heads.
func (l *Learner) Act(s *core.ActStep) error {
	spec, err := l.specOf(s.Spec)
	if err != nil {
		return err
	}
	if err := l.checkAct(spec, s); err != nil {
		return err
	}
	f, err := l.online.advance(*spec, s.LastActions, s.Obs, s.Hidden)
	if err != nil {
		return err
	}
	if s.Heads == nil {
		return l.online.head.values(f, s.Q)
	}
	return l.applyHeads(s, f, spec.Actions)
}

// specOf is the task of a step: its own, or that of SetTask.
func (l *Learner) specOf(own *core.EnvSpec) (*core.EnvSpec, error) {
	if own == nil {
		return &l.spec, nil
	}
	if l.fits != *own {
		if err := complete(*own); err != nil {
			return nil, err
		}
		if err := l.agent.fits(*own); err != nil {
			return nil, err
		}
		l.fits = *own
	}
	return &l.fits, nil
}

// applyHeads computes the values of rows with heads of their own, a run of rows
// with the same head at a time.
func (l *Learner) applyHeads(s *core.ActStep, f features, A int) error {
	rows := len(s.Heads)
	for lo, hi := 0, 0; lo < rows; lo = hi {
		for hi = lo + 1; hi < rows && s.Heads[hi] == s.Heads[lo]; hi++ {
		}
		head := l.online.head
		if k := s.Heads[lo]; k != core.LiveHead {
			head = l.saved[k].psi
		}
		if err := head.values(f.rows(lo, hi), s.Q[lo*A:hi*A]); err != nil {
			return err
		}
	}
	return nil
}

// checkAct makes sure that a step has slices of the right lengths, known heads
// and possible last actions.
func (l *Learner) checkAct(spec *core.EnvSpec, s *core.ActStep) error {
	rows := s.Lanes * spec.Agents
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"observations", len(s.Obs), rows * spec.ObsWidth},
		{"last actions", len(s.LastActions), rows},
		{"hidden states", len(s.Hidden), rows * l.HiddenWidth()},
		{"action values", len(s.Q), rows * spec.Actions},
	} {
		if c.got != c.want {
			return fmt.Errorf("learner: %d %s for %d lanes of task %s/%s, want %d", c.got, c.name, s.Lanes, spec.Env, spec.Task, c.want)
		}
	}
	for r, a := range s.LastActions {
		if a < -1 || int(a) >= spec.Actions {
			return fmt.Errorf("learner: last action %d of row %d, want -1 to %d", a, r, spec.Actions-1)
		}
	}
	if s.Heads == nil {
		return nil
	}
	if len(s.Heads) != rows {
		return fmt.Errorf("learner: %d heads for %d rows", len(s.Heads), rows)
	}
	for r, k := range s.Heads {
		if k != core.LiveHead {
			if err := l.known(int(k)); err != nil {
				return fmt.Errorf("row %d: %w", r, err)
			}
		}
	}
	return nil
}
