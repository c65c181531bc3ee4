package battle

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"macpro/plugins/envs/internal/skirmish"
)

// Battle is one environment instance: a simulated world, played by SMAC's rules. It
// allocates nothing after New.
type Battle struct {
	m      *Map
	opt    Options
	world  *skirmish.World
	view   *View
	scorer *Scorer
	scale  float64 // reward per raw point

	agents, enemies []int // world index of each agent and enemy
	table           *Table
	avail           []uint8
	last            []int32 // last joint action, once there was a step
	steps           int
	score           float64 // the world's score at the last step
	over            bool
}

// Outcome is what a step leads to besides the new state.
type Outcome struct {
	Reward float64 // scaled so that a won episode sums up to about 20
	// Terminated: a side has no units left. Truncated: the step limit is reached
	// instead. Won: all enemies are dead and an agent lives.
	Terminated, Truncated, Won bool
}

// New makes an instance of a map. Call Reset before the first step.
func New(m *Map, opt Options) *Battle {
	b := &Battle{
		m: m, opt: opt,
		world:  skirmish.NewWorld(&m.Scene, opt.Rules),
		view:   NewView(m, opt),
		scorer: NewScorer(m),
		scale:  rewardScale / m.MaxReward(opt.Rules),
		table:  NewTable(m),
		avail:  make([]uint8, m.Agents()*m.Actions()),
		last:   make([]int32, m.Agents()),
		over:   true,
	}
	b.agents = make([]int, 0, m.Agents())
	b.enemies = make([]int, 0, m.Enemies())
	return b
}

// View returns the instance's view, for the sizes of its buffers.
func (b *Battle) View() *View { return b.view }

// World returns the simulated world.
func (b *Battle) World() *skirmish.World { return b.world }

// Reset starts an episode; seed is its only source of randomness.
func (b *Battle) Reset(seed uint64) {
	b.world.Reset(seed)
	b.agents, b.enemies = b.agents[:0], b.enemies[:0]
	for i := range b.world.Len() {
		if b.world.Unit(i).Team == skirmish.Allies {
			b.agents = append(b.agents, i)
		} else {
			b.enemies = append(b.enemies, i)
		}
	}
	if b.opt.Style == Official {
		slices.SortStableFunc(b.agents, b.catalogueOrder)
	}
	b.steps, b.score, b.over = 0, 0, false
	b.look()
	b.scorer.Begin(b.table)
}

// catalogueOrder sorts agents by unit type, then from left to right, then from below.
func (b *Battle) catalogueOrder(i, j int) int {
	u, v := b.world.Unit(i), b.world.Unit(j)
	return cmp.Or(cmp.Compare(b.m.rank[u.Kind], b.m.rank[v.Kind]),
		cmp.Compare(u.Pos.X, v.Pos.X), cmp.Compare(u.Pos.Y, v.Pos.Y))
}

// Step carries out a joint action. An action that is not available is an error that
// names the agent; nothing has happened then.
func (b *Battle) Step(actions []int32) (Outcome, error) {
	if err := b.begin(actions); err != nil {
		return Outcome{}, err
	}
	for range stepTicks {
		b.world.Tick()
	}
	return b.finish(), nil
}

// begin checks the joint action and gives the orders.
func (b *Battle) begin(actions []int32) error {
	if b.over {
		return errors.New("the episode is over: reset first")
	}
	n := b.m.Actions()
	for i, a := range actions {
		if a < 0 || int(a) >= n || b.avail[i*n+int(a)] == 0 {
			return b.refuse(i, a)
		}
	}
	for i, a := range actions {
		b.command(i, int(a))
	}
	copy(b.last, actions)
	return nil
}

func (b *Battle) refuse(agent int, action int32) error {
	var can []int
	n := b.m.Actions()
	for a, ok := range b.avail[agent*n : (agent+1)*n] {
		if ok == 1 {
			can = append(can, a)
		}
	}
	return fmt.Errorf("agent %d cannot take action %d: available are %v", agent, action, can)
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
		c := compass[action-2]
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
	b.steps++
	b.look()
	raw := b.scorer.Step(b.table)
	end := b.view.Judge(b.table)
	if b.opt.Style == Lite {
		raw, b.score = b.world.Score()-b.score, b.world.Score()
		if end == Draw {
			end = Victory
		}
	}
	o := Outcome{Won: end == Victory, Terminated: end != Ongoing}
	if o.Won {
		raw += winReward
	}
	o.Truncated = !o.Terminated && b.steps >= b.m.Limit
	o.Reward = raw * b.scale
	b.over = o.Terminated || o.Truncated
	return o
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
	*t = Unit{
		Kind: u.Kind, X: u.Pos.X, Y: u.Pos.Y, Health: u.Health, HealthMax: u.Stats.Health, Shield: u.Shield,
		Energy: u.Energy, Cooldown: u.Cooldown * skirmish.TicksPerSecond,
	}
}

// Observe writes the observations [n, o], the state [S] and the available actions
// [n, A] of the present moment.
func (b *Battle) Observe(obs, state []float32, avail []uint8) {
	copy(avail, b.avail)
	b.view.Obs(b.table, b.avail, obs)
	last := b.last
	if b.steps == 0 {
		last = nil
	}
	b.view.State(b.table, last, state)
}
