package battle

import (
	"math"

	"macpro/core/rng"
	"macpro/plugins/envs/internal/skirmish"
)

// policy chooses an agent's action from what is available.
type policy func(b *Battle, agent int, avail []uint8, r *rng.Stream) int32

// The scripted policies of the recorded statistics. Ties go to the lower index.
var policies = map[string]policy{
	"random":  func(_ *Battle, _ int, avail []uint8, r *rng.Stream) int32 { return uniform(r, avail) },
	"nearest": nearest, "focus": focus, "rush": rush,
}

// nearest attacks the nearest enemy in range.
func nearest(b *Battle, agent int, avail []uint8, _ *rng.Stream) int32 {
	u := &b.table.Agents[agent]
	return least(b, avail, func(e *Unit) float64 { return distance(u, e) })
}

// focus attacks the weakest enemy in range.
func focus(b *Battle, _ int, avail []uint8, _ *rng.Stream) int32 {
	return least(b, avail, func(e *Unit) float64 { return e.Health + e.Shield })
}

// rush is nearest, and walks towards the nearest enemy if none is in range.
func rush(b *Battle, agent int, avail []uint8, r *rng.Stream) int32 {
	if a := nearest(b, agent, avail, r); a != 1 {
		return a
	}
	u := &b.table.Agents[agent]
	e := &b.table.Enemies[closest(b.table, u)]
	dx, dy := e.X-u.X, e.Y-u.Y
	first, second := int32(5), int32(3)
	if dx > 0 {
		first = 4
	}
	if dy > 0 {
		second = 2
	}
	if math.Abs(dx) <= math.Abs(dy) {
		first, second = second, first
	}
	for _, a := range []int32{first, second} {
		if avail[a] == 1 {
			return a
		}
	}
	return 1
}

func least(b *Battle, avail []uint8, key func(e *Unit) float64) int32 {
	best, low := int32(1), math.Inf(1)
	for j := range b.table.Enemies {
		if avail[NonAttack+j] == 1 {
			if k := key(&b.table.Enemies[j]); k < low {
				best, low = int32(NonAttack+j), k
			}
		}
	}
	return best
}

func closest(t *Table, u *Unit) int {
	best, low := -1, math.Inf(1)
	for j := range t.Enemies {
		if d := distance(u, &t.Enemies[j]); t.Enemies[j].alive() && d < low {
			best, low = j, d
		}
	}
	return best
}

// result is what remains of an episode.
type result struct {
	ret    float64
	length int
	won    bool
	left   [4]float64 // living agents and enemies, their health with shields
}

// episode plays until the end or the limit; step carries out one step.
func episode(b *Battle, seed uint64, step func() Outcome) result {
	b.Reset(seed)
	var res result
	for res.length < b.m.Limit {
		out := step()
		res.ret += out.Reward
		res.length++
		if out.Terminated {
			res.won = out.Won
			break
		}
	}
	for side, us := range [][]Unit{b.table.Agents, b.table.Enemies} {
		for i := range us {
			if us[i].alive() {
				res.left[side]++
				res.left[2+side] += us[i].Health + us[i].Shield
			}
		}
	}
	return res
}

// play runs one episode; eps is the chance of a random action per agent and step.
func play(b *Battle, p policy, eps float64, seed uint64) result {
	r := rng.New(seed).Child("policy").Stream()
	actions := make([]int32, b.m.Agents())
	n := b.m.Actions()
	return episode(b, seed, func() Outcome {
		for i := range actions {
			avail := b.avail[i*n : (i+1)*n]
			switch {
			case !b.table.Agents[i].alive():
				actions[i] = 0
			case eps > 0 && r.Float64() < eps:
				actions[i] = uniform(r, avail)
			default:
				actions[i] = p(b, i, avail, r)
			}
		}
		return b.Step(actions)
	})
}

// stubborn plays an episode in which every agent attacks the enemy that was closest
// when its last target died, from any distance.
func stubborn(b *Battle, seed uint64) result {
	target := make([]int, b.m.Agents())
	for i := range target {
		target[i] = -1
	}
	return episode(b, seed, func() Outcome {
		for i := range target {
			u := &b.table.Agents[i]
			if !u.alive() {
				continue
			}
			if target[i] < 0 || !b.table.Enemies[target[i]].alive() {
				target[i] = closest(b.table, u)
			}
			b.world.Command(b.agents[i], skirmish.Order{Verb: skirmish.Attack, Target: b.enemies[target[i]]})
		}
		for range StepTicks {
			b.world.Tick()
		}
		return b.finish()
	})
}
