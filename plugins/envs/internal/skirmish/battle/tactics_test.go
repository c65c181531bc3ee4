package battle

import (
	"math"

	"macpro/core/rng"
	"macpro/plugins/envs/internal/skirmish"
)

// leader leads all agents of a battle by their own actions. It knows what all of them
// see together, and when each has shot last.
type leader struct {
	b       *Battle
	actions []int32
	since   []int     // steps since an agent's last shot
	place   []float64 // y of each agent in a line from south to north
	steps   int       // since the start
}

// tactic chooses the action of a living agent from what is available.
type tactic func(l *leader, agent int, avail []uint8) int32

// lead plays an episode by a tactic; eps is the chance of a random action per agent and
// step.
func lead(b *Battle, act tactic, eps float64, seed uint64) result {
	r := rng.New(seed).Child("tactic").Stream()
	n, w := b.m.Agents(), b.m.Actions()
	l := &leader{b: b, actions: make([]int32, n), since: make([]int, n), place: make([]float64, n)}
	for i := range l.since {
		l.since[i] = b.m.Limit
	}
	return episode(b, seed, func() Outcome {
		if l.steps == 0 {
			l.assign()
		}
		l.steps++
		for i := range l.actions {
			l.actions[i] = 0
			l.since[i]++
			avail := b.avail[i*w : (i+1)*w]
			switch {
			case !b.table.Agents[i].alive():
			case eps > 0 && r.Float64() < eps:
				l.actions[i] = uniform(r, avail)
			default:
				l.actions[i] = act(l, i, avail)
			}
		}
		for i, a := range l.actions {
			if a >= NonAttack {
				l.since[i] = 0
			}
		}
		return b.Step(l.actions)
	})
}

// assign gives every agent its place in the line, in the order in which they stand.
func (l *leader) assign() {
	const gap = 1.1
	us := l.b.table.Agents
	for i := range us {
		rank := -float64(len(us)-1) / 2
		for j := range us {
			if us[j].Y < us[i].Y || us[j].Y == us[i].Y && us[j].X < us[i].X {
				rank++
			}
		}
		l.place[i] = 16 + gap*rank
	}
}

// enemy is the living enemy nearest to u, and how far it is.
func (l *leader) enemy(u *Unit) (*Unit, float64) {
	e := &l.b.table.Enemies[closest(l.b.table, u)]
	return e, distance(u, e)
}

// kite leads stalkers and zealots against zealots.
type kite struct {
	reload int  // steps from one shot of a stalker to its next
	walk   bool // stalkers walk away from the enemies between shots
	lure   int  // zealots run from the enemies while more than this many live
}

func (k kite) act(l *leader, agent int, avail []uint8) int32 {
	u := &l.b.table.Agents[agent]
	if u.Kind == skirmish.Zealot {
		if living, _ := count(l.b.table.Enemies); living > k.lure {
			return l.flee(u, avail)
		}
		return rush(l.b, agent, avail, nil)
	}
	_, d := l.enemy(u)
	shot := focus(l.b, agent, avail, nil)
	weak := u.Health+u.Shield < 60 && d < 2.6 // a zealot will be there before the shot
	switch {
	case shot != 1 && l.since[agent] >= k.reload && !weak:
		return shot
	case shot == 1 && d > l.b.opt.Shoot:
		return rush(l.b, agent, avail, nil)
	case k.walk:
		return l.flee(u, avail)
	}
	return shot
}

// lineUp waits for the enemies in a line across their way. Then all shoot the weakest
// enemy that they reach. With back set, whoever is hurt the most steps back after each
// of its shots.
func lineUp(back bool) tactic {
	return func(l *leader, agent int, avail []uint8) int32 {
		us := l.b.table.Agents
		u := &us[agent]
		near, share := math.Inf(1), intact(u)
		living, worst := 0, true
		for i := range us {
			if c := &us[i]; c.alive() {
				_, d := l.enemy(c)
				near, living = min(near, d), living+1
				worst = worst && intact(c) >= share
			}
		}
		if near > l.b.opt.Shoot && l.steps <= 20 {
			return l.fallIn(u, l.place[agent], avail)
		}
		if _, d := l.enemy(u); back && worst && living > 1 && share < 0.35 && l.since[agent] == 1 && d < 6.5 {
			return l.flee(u, avail)
		}
		if u.Kind != skirmish.Zealot {
			weakest := least(l.b, avail, func(e *Unit) float64 { return e.Health + e.Shield + 0.01*distance(u, e) })
			if weakest != 1 {
				return weakest
			}
		}
		return rush(l.b, agent, avail, nil)
	}
}

// intact is the share of health and shield that a unit has left.
func intact(u *Unit) float64 { return (u.Health + u.Shield) / (u.HealthMax + shieldMax[u.Kind]) }

// fallIn takes an agent to its place in the line.
func (l *leader) fallIn(u *Unit, y float64, avail []uint8) int32 {
	const x, close = 10, 0.5
	a := 1
	switch {
	case y-u.Y > close:
		a = 2
	case u.Y-y > close:
		a = 3
	case x-u.X > close:
		a = 4
	case u.X-x > close:
		a = 5
	}
	if avail[a] == 0 {
		a = 1
	}
	return int32(a)
}

// flee returns the move, or the stop, after which u is least in danger.
func (l *leader) flee(u *Unit, avail []uint8) int32 {
	const step = 1.5
	best, low := int32(1), l.danger(*u)
	for d, c := range Compass {
		v := *u
		v.X, v.Y = v.X+step*c.X, v.Y+step*c.Y
		if r := l.danger(v); avail[2+d] == 1 && r < low {
			best, low = int32(2+d), r
		}
	}
	return best
}

// danger adds up the inverse squares of the distances to enemies and, twice, to walls.
func (l *leader) danger(u Unit) float64 {
	sum := 0.0
	for j := range l.b.table.Enemies {
		if e := &l.b.table.Enemies[j]; e.alive() {
			d := max(distance(&u, e), 0.1)
			sum += 1 / (d * d)
		}
	}
	for _, c := range Compass {
		d := 0.5
		for l.b.m.Scene.Terrain.Open(int(math.Floor(u.X+d*c.X)), int(math.Floor(u.Y+d*c.Y))) {
			d += 0.5
		}
		sum += 2 / (d * d)
	}
	return sum
}
