package qlearn

import (
	"fmt"

	"macpro/core"
	"macpro/core/entity"
	"macpro/core/nn"
)

// attentive is the agent network for observations made of entities (appendix of
// the paper), which serves teams of any size against any number of enemies:
//
//	f    = [W_o u; attention over allies; attention over enemies]
//	h    = GRU(MLP(f), h)                       recurrent state
//	E_j  = MLP(enemy j)                         embedded enemies
//	Q    = [MLP(h); MLP([E_1; h]); MLP([E_2; h]); ...]
//
// with own features u and entities as entity.Cut makes them. All but the two MLPs
// of the last line, which are the head psi, belong to the features phi.
type attentive struct {
	cfg  Config
	spec core.EnvSpec // the task it was planned for

	attention    nn.Attention
	mlp          nn.MLP
	gru          nn.GRU
	enemy        nn.MLP
	move, attack nn.MLP
}

var _ agent = (*attentive)(nil)

// planAttentive adds the modules of phi and then the head to an empty layout.
func planAttentive(l *nn.Layout, c Config, spec core.EnvSpec) (*attentive, error) {
	a := &attentive{cfg: c, spec: spec}
	if err := a.fits(spec); err != nil {
		return nil, err
	}
	cut, E, H := a.cut(spec), c.Embed, c.RNNHiddenDim
	allies := nn.Set{Name: "ally", Width: cut.AllyObs}
	enemies := nn.Set{Name: "enemy", Width: cut.EnemyWidth()}
	if c.AttnMaskInvisible {
		allies.Seen, enemies.Seen = cut.AllyObs, cut.EnemyObs
	}
	a.attention = l.Attention("phi.attention", cut.OwnWidth(), c.Attn, E, allies, enemies)
	wide := c.AttnFCMult * E
	a.mlp = l.MLP("phi.mlp", []int{a.attention.Width(), wide, wide, a.attention.Width()}, nn.ActNone)
	a.gru = l.GRU("phi.gru", a.attention.Width(), H)
	a.enemy = l.MLP("phi.enemy", []int{cut.EnemyWidth(), E, E, E}, nn.ActNone)
	a.move = l.MLP("head.move", []int{H, H, H, cut.NonAttack}, nn.ActNone)
	a.attack = l.MLP("head.attack", []int{E + H, H, H, 1}, nn.ActNone)
	return a, nil
}

func (a *attentive) phi() nn.Range      { return nn.Range{Lo: 0, Hi: a.enemy.Range().Hi} }
func (a *attentive) head() []nn.Segment { return []nn.Segment{a.move.Segment, a.attack.Segment} }
func (a *attentive) hidden() int        { return a.gru.Hidden }
func (a *attentive) pairs() nn.Pairs    { return nn.Pairs{Embed: a.enemy, Join: a.attack} }

// fits refuses tasks whose entities have other features, and teams that are too
// large for the agents' numbers.
func (a *attentive) fits(spec core.EnvSpec) error {
	if err := entity.Family("a learner", a.spec, spec); err != nil {
		return err
	}
	if largest := 1<<a.cfg.IDLength - 1; a.cfg.ObsAgentID && spec.Agents > largest {
		return fmt.Errorf("task %s/%s has %d agents, numbers of %d bits (id_length) tell at most %d apart",
			spec.Env, spec.Task, spec.Agents, a.cfg.IDLength, largest)
	}
	return nil
}

func (a *attentive) cut(spec core.EnvSpec) entity.Cut {
	c := entity.Cut{Entities: *spec.Entities, Agents: spec.Agents, Scale: float32(a.cfg.FeatureScale), Action: a.cfg.ObsLastAction}
	if a.cfg.ObsAgentID {
		c.Bits = a.cfg.IDLength
	}
	return c
}

// attentiveInputs are the inputs of a graph, a row per record and agent.
type attentiveInputs struct {
	a    *attentive
	g    *nn.Graph
	time *nn.Steps
	cut  entity.Cut

	own, allies, enemies *nn.Value
	attackable           []uint8 // [rows, m] enemies that the agent may attack
}

func (a *attentive) inputs(g *nn.Graph, v *view, spec core.EnvSpec) inputs {
	cut := a.cut(spec)
	own, allies, enemies := cut.Widths()
	return &attentiveInputs{
		a: a, g: g, time: &v.time, cut: cut,
		own:     g.Input("own features", v.agents, own),
		allies:  g.Input("allies", v.agents, allies),
		enemies: g.Input("enemies", v.agents, enemies),

		attackable: make([]uint8, v.agents.Cap*cut.Enemies),
	}
}

func (in *attentiveInputs) set(row int, obs []float32, avail []uint8, last int32, i int) {
	at := func(v *nn.Value) []float32 { return v.Data()[row*v.Width() : (row+1)*v.Width()] }
	in.cut.Set(at(in.own), at(in.allies), at(in.enemies), obs, last, i)
	copy(in.attackable[row*in.cut.Enemies:(row+1)*in.cut.Enemies], avail[in.cut.NonAttack:])
}

func (in *attentiveInputs) q(net *nn.Network, heads ...*nn.Network) ([]*nn.Value, error) {
	a, b := in.a, &builder{what: "agents", graph: in.g, net: net}
	f := b.Apply(a.attention.Op(), in.own, in.allies, in.enemies, b.Param(a.attention.Segment))
	h := b.Apply(a.gru.Op(in.time), b.Net(a.mlp, f), b.Param(a.gru.Segment))
	return b.heads(heads, func(param paramOf) *nn.Value {
		move := b.Apply(a.move.Op(), h, param(a.move.Segment))
		attack := b.Apply(a.pairs().Op(in.attackable), in.enemies, h, b.Param(a.enemy.Segment), param(a.attack.Segment))
		return b.Apply(nn.Beside(), move, attack)
	})
}
