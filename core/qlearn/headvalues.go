package qlearn

import (
	"fmt"

	"macpro/core"
)

var _ core.Valuer = (*Learner)(nil)

// HeadValues computes the action values that several heads give in one time
// step; see core.Valuer. Each head's are bit for bit those of Act.
func (l *Learner) HeadValues(s *core.HeadStep) error {
	spec, err := l.specOf(s.Spec)
	if err != nil {
		return err
	}
	rows := s.Lanes * spec.Agents
	width := rows * spec.Actions
	if len(s.Q) != len(s.Heads)*width {
		return fmt.Errorf("learner: room for %d values of %d heads in %d lanes of task %s/%s, want %d",
			len(s.Q), len(s.Heads), s.Lanes, spec.Env, spec.Task, len(s.Heads)*width)
	}
	if len(s.Heads) == 0 {
		return fmt.Errorf("learner: values of no heads")
	}
	a, err := l.actorOf(s.Heads)
	if err != nil {
		return err
	}
	if err := l.checkAct(spec, &core.ActStep{Lanes: s.Lanes, Obs: s.Obs, LastActions: s.LastActions, Hidden: s.Hidden, Q: s.Q[:width]}); err != nil {
		return err
	}
	f, err := a.advance(*spec, s.LastActions, s.Obs, s.Hidden)
	if err != nil {
		return err
	}
	for i, k := range s.Heads {
		head := a.head
		if k >= 0 {
			head = l.saved[k].psi
		}
		if err := head.values(f, s.Q[i*width:(i+1)*width]); err != nil {
			return fmt.Errorf("learner: %w", err)
		}
	}
	return nil
}

// actorOf is the network that the heads belong to.
func (l *Learner) actorOf(heads []int32) (*acting, error) {
	for _, k := range heads {
		switch {
		case k == core.LiveHead:
		case k == core.TargetHead && len(heads) == 1:
			return l.targetActor()
		case k == core.TargetHead:
			return nil, fmt.Errorf("learner: the target's head among %d others: it has features of its own and stands alone", len(heads)-1)
		default:
			if err := l.known(int(k)); err != nil {
				return nil, err
			}
		}
	}
	return &l.online, nil
}

func (l *Learner) targetActor() (*acting, error) {
	if l.targetActing == nil {
		a, err := l.actingOn(l.target)
		if err != nil {
			return nil, err
		}
		l.targetActing = &a
	}
	return l.targetActing, nil
}
