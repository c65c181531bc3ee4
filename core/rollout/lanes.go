package rollout

import (
	"fmt"
	"math"

	"macpro/core"
)

// open prepares the record of a new episode.
func (l *lane) open(s core.EnvSpec, seed uint64, plan *Plan) {
	e := &l.record
	if cap(e.Reward) < s.Limit {
		e.Reward = make([]float32, 0, s.Limit)
	}
	if !plan.Lean && cap(e.Actions) < s.Limit*s.Agents {
		e.Obs = make([]float32, 0, (s.Limit+1)*s.Agents*s.ObsWidth)
		e.State = make([]float32, 0, (s.Limit+1)*s.StateWidth)
		e.Avail = make([]uint8, 0, (s.Limit+1)*s.Agents*s.Actions)
		e.Actions = make([]int32, 0, s.Limit*s.Agents)
	}
	e.Task, e.Head, e.Index, e.Seed = plan.Task, plan.Head, int64(l.number), seed
	e.T, e.N, e.A, e.ObsWidth, e.StateWidth = 0, s.Agents, s.Actions, s.ObsWidth, s.StateWidth
	e.Obs, e.State, e.Avail, e.Actions, e.Reward = e.Obs[:0], e.State[:0], e.Avail[:0], e.Actions[:0], e.Reward[:0]
	e.Terminated, e.Won = false, false
}

// note appends what lane k shows to its record.
func (p *Player) note(k int) {
	s, e := &p.spec, &p.lanes[k].record
	obs, avail := s.Agents*s.ObsWidth, s.Agents*s.Actions
	e.Obs = append(e.Obs, p.frame.Obs[k*obs:(k+1)*obs]...)
	e.State = append(e.State, p.frame.State[k*s.StateWidth:(k+1)*s.StateWidth]...)
	e.Avail = append(e.Avail, p.frame.Avail[k*avail:(k+1)*avail]...)
}

// observe fills the rows of the network's input and notes the records.
func (p *Player) observe(lean bool) {
	obs := p.spec.Agents * p.spec.ObsWidth
	for i, k := range p.active {
		copy(p.step.Obs[i*obs:(i+1)*obs], p.frame.Obs[k*obs:])
		if !lean {
			p.note(k)
		}
	}
}

// chooseHeads lets the plan's stepper fill the heads of all rows.
func (p *Player) chooseHeads(plan *Plan, t int) error {
	s, v := &p.spec, &p.view
	avail := s.Agents * s.Actions
	v.Episodes, v.State, v.Avail, v.Reward = v.Episodes[:0], v.State[:0], v.Avail[:0], v.Reward[:0]
	for _, k := range p.active {
		v.Episodes = append(v.Episodes, p.lanes[k].number)
		v.State = append(v.State, p.frame.State[k*s.StateWidth:(k+1)*s.StateWidth]...)
		v.Avail = append(v.Avail, p.frame.Avail[k*avail:(k+1)*avail]...)
		v.Reward = append(v.Reward, p.frame.Reward[k])
	}
	v.T, v.Obs, v.Hidden, v.Last = t, p.step.Obs, p.step.Hidden, p.step.LastActions
	v.Source, v.Spec = plan.Source, *p.told
	if err := plan.Stepper.StepHeads(v, p.step.Heads); err != nil {
		return fmt.Errorf("%s %s: step %d: choosing heads: %w", s.Env, s.Task, t, err)
	}
	return nil
}

// settle takes in the outcome of a step, closes the episodes that have ended
// and moves the rows of the others up.
func (p *Player) settle(plan *Plan, t int) error {
	n, h := p.spec.Agents, len(p.step.Hidden)/len(p.active)
	live := plan.live()
	keep := 0
	for i, k := range p.active {
		l := &p.lanes[k]
		r := p.frame.Reward[k]
		if math.IsNaN(float64(r)) || math.IsInf(float64(r), 0) {
			return p.fault(k, t, "the reward is %v", r)
		}
		l.record.Reward = append(l.record.Reward, r)
		l.record.T++
		if !plan.Lean {
			l.record.Actions = append(l.record.Actions, p.actions[k*n:(k+1)*n]...)
		}
		if plan.Watch != nil {
			if err := p.watch(plan, i, k); err != nil {
				return err
			}
		}
		if p.frame.Terminated[k] || p.frame.Truncated[k] {
			l.record.Terminated, l.record.Won = p.frame.Terminated[k], p.frame.Won[k]
			if !live {
				copy(l.heads, p.step.Heads[i*n:(i+1)*n])
			}
			if !plan.Lean {
				p.note(k)
			}
			continue
		}
		if l.record.T >= p.spec.Limit {
			return p.fault(k, t, "the episode goes on beyond its limit of %d steps", p.spec.Limit)
		}
		if keep != i {
			copy(p.step.Hidden[keep*h:(keep+1)*h], p.step.Hidden[i*h:])
			if !live {
				copy(p.step.Heads[keep*n:(keep+1)*n], p.step.Heads[i*n:])
			}
		}
		copy(p.step.LastActions[keep*n:(keep+1)*n], p.actions[k*n:])
		p.active[keep] = k
		keep++
	}
	p.active = p.active[:keep]
	p.rewind(keep, live)
	return nil
}

// fault words an error that concerns one lane.
func (p *Player) fault(k, t int, format string, args ...any) error {
	l := &p.lanes[k]
	return fmt.Errorf("%s %s: episode %d (seed %#x, lane %d), step %d: %w",
		p.spec.Env, p.spec.Task, l.number, l.record.Seed, k, t, fmt.Errorf(format, args...))
}
