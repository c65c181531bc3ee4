package macpro

import (
	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
)

// teamModel is the forward model h for teams of changing size. An MLP that all
// tasks share reads the embedded state, the mean over agents of their embedded
// observations and actions, and z. It predicts a code [E of the state; E of the
// observations; reward]. MLPs of each task turn the code into
//
//	the state or its change             from the first part
//	an agent's next observation         from the second part and which agent it is
//
// (appendix of the paper). If the floats of the states count in the encoders'
// tokens, they also count in the code's first part.
type teamModel struct {
	cfg      *settings
	state    nn.Summary
	act      viewer
	mlp      nn.MLP
	decoders []decoder // of each task
}

type decoder struct{ state, obs nn.MLP }

// planTeamModel adds the shared part of h to a layout.
func planTeamModel(l *nn.Layout, c *settings, s core.EnvSpec) *teamModel {
	m := &teamModel{cfg: c, state: planStates(l, "h.state", c, s), act: planViewer(l, "h.act", c, s, true)}
	in, out := embedded(c)+c.Embed+c.ZDim, embedded(c)+c.Embed+1
	m.mlp = l.MLP("h.model", []int{in, c.ModelHidden, c.ModelHidden, out}, nn.ActNone)
	return m
}

// planTask adds the decoders of the next task.
func (m *teamModel) planTask(l *nn.Layout, name string, s core.EnvSpec) {
	c, h := m.cfg, m.cfg.Embed
	m.decoders = append(m.decoders, decoder{
		l.MLP(name+".state", []int{embedded(c), h, h, s.StateWidth}, nn.ActNone),
		l.MLP(name+".obs", []int{c.Embed + s.Agents, h, h, s.ObsWidth}, nn.ActNone),
	})
}

// stateUnits are the units of the code that the state is decoded from.
func (m *teamModel) stateUnits() (lo, hi int) {
	w := embedded(m.cfg)
	if m.cfg.StateUnits == keyLast {
		return m.mlp.Out() - w, m.mlp.Out()
	}
	return 0, w
}

// teamPass is h in a graph: for each lane a loss.
type teamPass struct {
	m     *teamModel
	lanes []*lanePass
}

type lanePass struct {
	lane   lane
	rows   *nn.Extent // transitions
	agents *nn.Extent // transitions times agents
	states *stateRows
	views  *viewRows
	input  *modelInput
	loss   *prediction
	value  *nn.Value // of the loss
}

// open adds h to a graph; rep are the contexts.
func (m *teamModel) open(g *nn.Graph, net *nn.Network, rep *nn.Value, lanes []lane) (*teamPass, error) {
	p := &teamPass{m: m}
	for i, l := range lanes {
		q := &lanePass{lane: l, rows: g.Extent(l.steps), agents: g.Extent(l.steps * l.spec.Agents)}
		if err := m.openLane(g, net, rep, q, m.decoders[i]); err != nil {
			return nil, err
		}
		p.lanes = append(p.lanes, q)
	}
	return p, nil
}

func (m *teamModel) openLane(g *nn.Graph, net *nn.Network, rep *nn.Value, q *lanePass, d decoder) error {
	s := q.lane.spec
	q.states, q.views = openStates(g, m.cfg, s, q.rows), openViews(g, m.cfg, s, q.agents, true)
	q.input = &modelInput{agents: s.Agents, z: m.cfg.ZDim}
	if m.cfg.ShapeFeature {
		q.input.shape = []float32{float32(m.cfg.ShapeScale) * float32(s.StateWidth)}
	}
	q.loss = &prediction{agents: s.Agents}
	c := &chain{g: g, net: net}
	state := c.keep(q.states.summarize(g, net, m.state))
	act := c.keep(q.views.view(g, net, m.act))
	code := c.mlp(m.mlp, c.apply(q.input, state, act, rep))
	lo, hi := m.stateUnits()
	toState := c.mlp(d.state, c.apply(&columns{lo, hi}, code))
	w := embedded(m.cfg)
	toObs := c.mlp(d.obs, c.apply(&tell{lo: w, hi: w + m.cfg.Embed, agents: s.Agents, rows: q.agents}, code))
	q.value = c.apply(q.loss, toState, toObs, code)
	return c.err
}

// chain adds operations to a graph until one fails.
type chain struct {
	g   *nn.Graph
	net *nn.Network
	err error
}

func (c *chain) keep(v *nn.Value, err error) *nn.Value {
	if c.err == nil {
		c.err = err
	}
	return v
}

func (c *chain) apply(op nn.Fused, in ...*nn.Value) *nn.Value {
	if c.err != nil {
		return nil
	}
	return c.keep(c.g.Apply(op, in...))
}

func (c *chain) mlp(m nn.MLP, x *nn.Value) *nn.Value {
	return c.apply(m.Op(), x, c.g.Param(c.net, m.Segment))
}

// fill lays out the transitions of groups of episodes.
func (p *teamPass) fill(lanes []lane, groups [][]*episode.Episode, noise []float32) {
	for _, q := range p.lanes {
		q.rows.N, q.agents.N = 0, 0
		q.input.reset(noise)
		q.loss.reset()
	}
	number := 0
	for _, g := range groups {
		for _, e := range g {
			q := p.lanes[laneOf(lanes, e)]
			share := p.m.cfg.shareOf(len(groups), g, e.StateWidth+e.N*e.ObsWidth+1)
			for t := range e.T {
				q.add(p.m.cfg, e, t, number, share)
			}
			number++
		}
	}
}

// add appends transition t of an episode.
func (q *lanePass) add(c *settings, e *episode.Episode, t, number int, share float64) {
	k, n := q.rows.N, e.N
	q.rows.N, q.agents.N = k+1, (k+1)*n
	q.states.set(k, seen(e, stateOf, t))
	for i := range n {
		q.views.set(k*n+i, seen(e, i, t), e.Actions[t*n+i], coder(c, &q.lane.spec, i, t))
	}
	q.input.episode = append(q.input.episode, int32(number))
	q.loss.add(c, e, t, share)
}

func (p *teamPass) total() float64 {
	sum := 0.0
	for _, q := range p.lanes {
		sum += q.loss.value
	}
	return sum
}
