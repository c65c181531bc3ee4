package rollout

import (
	"macpro/core"
	"macpro/core/rng"
)

// chooseActions picks the actions of all active lanes from the values in
// step.Q: greedily, or at random for agents that explore.
func (p *Player) chooseActions(plan *Plan, t int) error {
	n, a := p.spec.Agents, p.spec.Actions
	for i, k := range p.active {
		for agent := range n {
			row := i*n + agent
			q := p.step.Q[row*a : (row+1)*a]
			avail := p.frame.Avail[(k*n+agent)*a : (k*n+agent+1)*a]
			best, available := greedy(q, avail)
			switch {
			case available == 0:
				return p.fault(k, t, "agent %d has no available action", agent)
			case best < 0:
				return p.fault(k, t, "agent %d: %w", agent, core.NotFinite("the network's values are not finite: %v", q))
			}
			if plan.Epsilon > 0 {
				draw := &p.lanes[k].explore[agent]
				if draw.Float64() < plan.Epsilon {
					best = explore(draw, avail, available, plan.Sticky, p.step.LastActions[row])
				}
			}
			p.actions[k*n+agent] = int32(best)
		}
	}
	return nil
}

// greedy returns the available action of the largest value, the lowest of
// equal ones, and the number of available actions. The action is -1 if the
// value of an available action is not finite.
func greedy(q []float32, avail []uint8) (best, available int) {
	best = -1
	finite := true
	for a, ok := range avail {
		if ok == 0 {
			continue
		}
		available++
		finite = finite && q[a]-q[a] == 0
		if best < 0 || q[a] > q[best] {
			best = a
		}
	}
	if !finite {
		return -1, available
	}
	return best, available
}

// explore draws an action: the last one with probability sticky if it is
// available, else a uniform one of the available ones.
func explore(draw *rng.Stream, avail []uint8, available int, sticky float64, last int32) int {
	if sticky > 0 && last >= 0 && avail[last] != 0 && draw.Float64() < sticky {
		return int(last)
	}
	k := draw.Intn(available)
	for a, ok := range avail {
		if ok == 0 {
			continue
		}
		if k == 0 {
			return a
		}
		k--
	}
	panic("rollout: fewer available actions than counted")
}
