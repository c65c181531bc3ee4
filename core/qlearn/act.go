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
	if err := l.checkAct(s); err != nil {
		return err
	}
	f, err := l.actor.advance(l.spec, s.LastActions, s.Obs, s.Hidden)
	if err != nil {
		return err
	}
	if s.Heads == nil {
		return l.live.values(f, s.Q)
	}
	return l.applyHeads(s, f)
}

// applyHeads computes the values of rows with heads of their own, a run of rows
// with the same head at a time.
func (l *Learner) applyHeads(s *core.ActStep, f features) error {
	rows, A := len(s.Heads), l.spec.Actions
	for lo, hi := 0, 0; lo < rows; lo = hi {
		for hi = lo + 1; hi < rows && s.Heads[hi] == s.Heads[lo]; hi++ {
		}
		head := l.live
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
func (l *Learner) checkAct(s *core.ActStep) error {
	rows := s.Lanes * l.spec.Agents
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"observations", len(s.Obs), rows * l.spec.ObsWidth},
		{"last actions", len(s.LastActions), rows},
		{"hidden states", len(s.Hidden), rows * l.HiddenWidth()},
		{"action values", len(s.Q), rows * l.spec.Actions},
	} {
		if c.got != c.want {
			return fmt.Errorf("learner: %d %s for %d lanes of task %s/%s, want %d", c.got, c.name, s.Lanes, l.spec.Env, l.spec.Task, c.want)
		}
	}
	for r, a := range s.LastActions {
		if a < -1 || int(a) >= l.spec.Actions {
			return fmt.Errorf("learner: last action %d of row %d, want -1 to %d", a, r, l.spec.Actions-1)
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
