package qlearn

import (
	"fmt"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
)

// teacher is a network of its own that acts with parameters of a caller.
type teacher struct {
	acting
	net *nn.Network
}

// teacherWith is the teacher with the given parameters of the agent.
func (l *Learner) teacherWith(agent []float32) (*acting, error) {
	if l.teacher == nil {
		t := &teacher{net: l.net.Clone()}
		var err error
		if t.acting, err = l.actingOn(t.net); err != nil {
			return nil, err
		}
		l.teacher = t
	}
	if at := l.agentRange(); len(agent) != at.Len() {
		return nil, fmt.Errorf("learner: a teacher with %d parameters, scope %q has %d", len(agent), core.ScopeAgent, at.Len())
	}
	return &l.teacher.acting, l.teacher.net.SetRange(l.agentRange(), agent)
}

// EpisodeValues gives the action values of whole episodes; see core.Valuer. They
// are bit for bit those of Act.
func (l *Learner) EpisodeValues(batch []*episode.Episode, agent []float32) ([][]float32, error) {
	a := &l.online
	if agent != nil {
		var err error
		if a, err = l.teacherWith(agent); err != nil {
			return nil, err
		}
	}
	of := make(map[*episode.Episode][]float32, len(batch))
	for _, e := range batch {
		of[e] = make([]float32, max(0, e.T*e.N*e.A))
	}
	var q []float32
	err := l.walk(batch, func(spec *core.EnvSpec, lanes []*episode.Episode, t int, s *core.ActStep) error {
		f, err := a.advance(*spec, s.LastActions, s.Obs, s.Hidden)
		if err != nil {
			return err
		}
		width := spec.Agents * spec.Actions
		q = room(q, len(lanes)*width)
		if err := a.head.values(f, q); err != nil {
			return fmt.Errorf("learner: %w", err)
		}
		for i, e := range lanes {
			copy(of[e][t*width:(t+1)*width], q[i*width:])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(batch))
	for i, e := range batch {
		out[i] = of[e]
	}
	return out, nil
}

// walk goes through the records that the transitions of a batch leave, those of
// many episodes at a time: do sees the episodes that have a transition t and
// their step without room for values, whose Hidden it moves on.
func (l *Learner) walk(batch []*episode.Episode, do func(spec *core.EnvSpec, lanes []*episode.Episode, t int, s *core.ActStep) error) error {
	parts, err := l.divide(batch)
	if err != nil {
		return err
	}
	for k := range parts {
		for i := range parts[k].batch.Shard {
			if err := l.walkShard(parts[k].spec, &parts[k].batch.Shard[i], do); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *Learner) walkShard(spec *core.EnvSpec, s *episode.Shard, do func(*core.EnvSpec, []*episode.Episode, int, *core.ActStep) error) error {
	n, o := spec.Agents, spec.ObsWidth
	hidden := make([]float32, len(s.Episodes)*n*l.HiddenWidth())
	var step core.ActStep
	for t := 0; t+1 < len(s.Alive); t++ {
		lanes := s.Episodes[:s.Alive[t+1]] // that have a transition t: a prefix of those before
		step.Obs, step.LastActions = step.Obs[:0], step.LastActions[:0]
		for _, e := range lanes {
			step.Obs = append(step.Obs, e.Obs[t*n*o:(t+1)*n*o]...)
			for i := range n {
				last := int32(-1)
				if t > 0 {
					last = e.Actions[(t-1)*n+i]
				}
				step.LastActions = append(step.LastActions, last)
			}
		}
		step.Spec, step.Lanes, step.Hidden = spec, len(lanes), hidden[:len(lanes)*n*l.HiddenWidth()]
		if err := do(spec, lanes, t, &step); err != nil {
			return err
		}
	}
	return nil
}
