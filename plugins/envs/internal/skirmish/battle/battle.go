package battle

import (
	"cmp"
	"slices"

	"macpro/plugins/envs/internal/skirmish"
)

// Battle is one environment instance: a simulated world, played by SMAC's rules. It
// allocates nothing after New. It keeps no clock and trusts its caller to choose among
// the available actions.
type Battle struct {
	m      *Map
	opt    Options
	world  *skirmish.World
	view   *View
	scorer *Scorer
	scale  float64 // reward per raw point

	agents, enemies []int // world index of each agent and enemy
	table           *Table
	avail           []uint8 // available actions [n, A]
	last            []int32 // last joint action, empty at the start of an episode
	score           float64 // the world's score at the last step
}

// Outcome is what a step leads to besides the new state.
type Outcome struct {
	Reward float64 // scaled so that a won episode sums up to about 20
	// Terminated: a side has no units left. Won: all enemies are dead and an agent
	// lives.
	Terminated, Won bool
}

// Outcome is that of a step with this ending. raw is what Scorer.Step says, scale the
// reward per raw point.
func (e Ending) Outcome(raw, scale float64) Outcome {
	o := Outcome{Won: e == Victory, Terminated: e != Ongoing}
	if o.Won {
		raw += winReward
	}
	o.Reward = raw * scale
	return o
}

// New makes an instance of a map. Call Reset before the first step.
func New(m *Map, opt Options) *Battle {
	b := &Battle{
		m: m, opt: opt,
		world:  skirmish.NewWorld(&m.Scene, opt.Rules),
		view:   NewView(m, opt),
		scorer: NewScorer(m, opt.Pay),
		scale:  RewardScale / m.MaxReward(opt.Rules),
		table:  NewTable(m),
		avail:  make([]uint8, m.Agents()*m.Actions()),
		last:   make([]int32, 0, m.Agents()),
	}
	b.number()
	return b
}

// number gives agents and enemies their indices for good. It looks at the formation
// without noise, so that an agent's index always stands for the same place in it.
func (b *Battle) number() {
	exact := *b.opt.Rules
	exact.SpawnNoise = 0
	w := skirmish.NewWorld(&b.m.Scene, &exact)
	w.Reset(0)
	for i := range w.Len() {
		if w.Unit(i).Team == skirmish.Allies {
			b.agents = append(b.agents, i)
		} else {
			b.enemies = append(b.enemies, i)
		}
	}
	if b.opt.Style == Official {
		slices.SortStableFunc(b.agents, func(i, j int) int { return b.catalogueOrder(w.Unit(i), w.Unit(j)) })
	}
}

// catalogueOrder sorts agents by unit type, then from left to right, then from below.
func (b *Battle) catalogueOrder(u, v *skirmish.Unit) int {
	return cmp.Or(cmp.Compare(b.m.rank[u.Kind], b.m.rank[v.Kind]),
		cmp.Compare(u.Pos.X, v.Pos.X), cmp.Compare(u.Pos.Y, v.Pos.Y))
}

// Avail returns the available actions [n, A]: 1 where one is. The slice belongs to the
// battle and changes with it.
func (b *Battle) Avail() []uint8 { return b.avail }

// Reset starts an episode; seed is its only source of randomness.
func (b *Battle) Reset(seed uint64) {
	b.world.Reset(seed)
	b.score, b.last = 0, b.last[:0]
	b.look()
	b.scorer.Begin(b.table)
}

// Step carries out a joint action of available actions.
func (b *Battle) Step(actions []int32) Outcome {
	b.order(actions)
	for range StepTicks {
		b.world.Tick()
	}
	return b.finish()
}

func (b *Battle) order(actions []int32) {
	for i, a := range actions {
		b.command(i, int(a))
	}
	b.last = append(b.last[:0], actions...)
}

// command turns an agent's action into its unit's order.
func (b *Battle) command(agent, action int) {
	i := b.agents[agent]
	u := b.world.Unit(i)
	switch {
	case action == 0:
	case action == 1:
		b.world.Command(i, skirmish.Order{})
	case action < NonAttack:
		c := Compass[action-2]
		to := skirmish.Vec{X: u.Pos.X + 2*c.X, Y: u.Pos.Y + 2*c.Y}
		b.world.Command(i, skirmish.Order{Verb: skirmish.Walk, To: to})
	default:
		target := b.enemies
		if u.Kind == skirmish.Medivac {
			target = b.agents
		}
		b.world.Command(i, skirmish.Order{Verb: skirmish.Attack, Target: target[action-NonAttack]})
	}
}

// finish looks at the world after a step and judges it.
func (b *Battle) finish() Outcome {
	b.look()
	raw := b.scorer.Step(b.table)
	end := b.view.Judge(b.table)
	if b.opt.Style == Lite {
		raw, b.score = b.world.Score()-b.score, b.world.Score()
		if end == Draw {
			end = Victory
		}
	}
	return end.Outcome(raw, b.scale)
}

// Unavailable says why an agent cannot take an action now; nothing where the mask
// says it all.
func (b *Battle) Unavailable(agent, action int) string {
	return b.table.Unavailable(agent, action, b.opt.Shoot)
}

// look copies the world into the table and finds the available actions.
func (b *Battle) look() {
	for a, i := range b.agents {
		show(b.world.Unit(i), &b.table.Agents[a])
	}
	for e, i := range b.enemies {
		show(b.world.Unit(i), &b.table.Enemies[e])
	}
	b.view.Avail(b.table, b.avail)
}

func show(u *skirmish.Unit, t *Unit) {
	if !u.Alive {
		t.Health = 0
		return
	}
	*t = Unit{
		Kind: u.Kind, X: u.Pos.X, Y: u.Pos.Y, Health: u.Health, HealthMax: u.Stats.Health, Shield: u.Shield,
		Energy: u.Energy, Cooldown: u.Cooldown * skirmish.TicksPerSecond,
	}
}

// Observe writes the observations [n, o] and the state [S] of the present moment.
func (b *Battle) Observe(obs, state []float32) {
	b.view.Obs(b.table, b.avail, obs)
	b.view.State(b.table, b.last, state)
}
