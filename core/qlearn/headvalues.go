package qlearn

import (
	"fmt"

	"macpro/core"
)

var _ core.HeadValuer = (*Learner)(nil)

// HeadValues computes the action values that several heads give in one time
// step; see core.HeadValuer. Each head's are bit for bit those of Act.
func (l *Learner) HeadValues(s *core.HeadStep) error {
	rows := s.Lanes * l.spec.Agents
	width := rows * l.spec.Actions
	if len(s.Q) != len(s.Heads)*width {
		return fmt.Errorf("learner: room for %d values of %d heads in %d lanes of task %s/%s, want %d",
			len(s.Q), len(s.Heads), s.Lanes, l.spec.Env, l.spec.Task, len(s.Heads)*width)
	}
	if len(s.Heads) == 0 {
		return fmt.Errorf("learner: values of no heads")
	}
	a, live, err := l.actorOf(s.Heads)
	if err != nil {
		return err
	}
	if err := l.checkAct(&core.ActStep{Lanes: s.Lanes, Obs: s.Obs, LastActions: s.LastActions, Hidden: s.Hidden, Q: s.Q[:width]}); err != nil {
		return err
	}
	f, err := a.advance(l.spec, s.LastActions, s.Obs, s.Hidden)
	if err != nil {
		return err
	}
	for i, k := range s.Heads {
		head := live
		if k >= 0 {
			head = l.saved[k].psi
		}
		if err := head.values(f, s.Q[i*width:(i+1)*width]); err != nil {
			return fmt.Errorf("learner: %w", err)
		}
	}
	return nil
}

// actorOf is the network that the heads belong to, and its own head.
func (l *Learner) actorOf(heads []int32) (actor, psi, error) {
	for _, k := range heads {
		switch {
		case k == core.LiveHead:
		case k == core.TargetHead && len(heads) == 1:
			return l.targetActor()
		case k == core.TargetHead:
			return nil, nil, fmt.Errorf("learner: the target's head among %d others: it has features of its own and stands alone", len(heads)-1)
		default:
			if err := l.known(int(k)); err != nil {
				return nil, nil, err
			}
		}
	}
	return l.actor, l.live, nil
}

func (l *Learner) targetActor() (actor, psi, error) {
	if l.aim == nil {
		a, err := l.agent.actor(l.target)
		if err != nil {
			return nil, nil, err
		}
		if l.aimHead, err = l.agent.psi(l.target); err != nil {
			return nil, nil, err
		}
		l.aim = a
	}
	return l.aim, l.aimHead, nil
}
