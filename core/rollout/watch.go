package rollout

import "macpro/core"

// Moment is the state of one episode after T transitions, for somebody who
// watches. Heads is valid only during the call.
type Moment struct {
	Env     core.Env
	Lane    int // of Env, in which the episode is played
	Episode int // its number in the plan
	T       int
	Limit   int     // of T
	Return  float64 // so far
	// Heads [n] chose the last joint action, and the first one if the plan says
	// so beforehand; nil for the live head or if no head has been chosen yet.
	Heads      []int32
	Ended, Won bool
	Actions    []int32 // [n], the last joint action; nil at the start
}

// watch shows the state of lane k, whose rows are the i-th of the step.
func (p *Player) watch(plan *Plan, i, k int) error {
	n, e := p.spec.Agents, &p.lanes[k].record
	m := Moment{Env: p.env, Lane: k, Episode: p.lanes[k].number, T: e.T, Limit: p.spec.Limit, Return: e.Return()}
	if !plan.live() && (e.T > 0 || plan.Stepper == nil) {
		m.Heads = p.step.Heads[i*n : (i+1)*n]
	}
	if e.T > 0 {
		m.Actions = p.actions[k*n : (k+1)*n]
		m.Ended, m.Won = p.frame.Terminated[k] || p.frame.Truncated[k], p.frame.Won[k]
	}
	return plan.Watch(m)
}
