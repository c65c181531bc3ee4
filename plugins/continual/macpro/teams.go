package macpro

import (
	"macpro/core"
	"macpro/core/entity"
	"macpro/core/episode"
	"macpro/core/nn"
)

// cutOf is the way to cut what was seen of a task. An action is part of an
// agent's features only in the forward model.
func cutOf(c *settings, s core.EnvSpec, action bool) entity.Cut {
	return entity.Cut{Entities: *s.Entities, Agents: s.Agents, Scale: float32(c.FeatureScale), Action: action, Bits: c.IDLength}
}

// embedded is the width of an embedded state or observation: with
// encoder_shape_feature its scaled number of floats follows.
func embedded(c *settings) int {
	if c.ShapeFeature {
		return c.Embed + 1
	}
	return c.Embed
}

// coder is the number of the agent that a row of observations is marked with.
// The authors' code numbers the rows [agent, time] of a batch that is padded to
// the time limit in turn, so that an agent's number changes with time.
func coder(c *settings, s *core.EnvSpec, agent, t int) int {
	if c.AgentCode == keyCycling {
		return (agent*s.Limit + t) % s.Agents
	}
	return agent
}

// planStates adds the attention over the entities of a state, which is a mixer's.
func planStates(l *nn.Layout, name string, c *settings, s core.EnvSpec) nn.Summary {
	ally, enemy := cutOf(c, s, false).StateWidths()
	return l.Summary(name, c.Attn, c.Embed, nn.Set{Name: "ally", Width: ally}, nn.Set{Name: "enemy", Width: enemy})
}

// stateRows are states in a graph, a row of allies and of enemies for each.
type stateRows struct {
	cut             entity.Cut
	rows            *nn.Extent
	allies, enemies *nn.Value
	blank           []float32 // a state of zeros
}

func openStates(g *nn.Graph, c *settings, s core.EnvSpec, rows *nn.Extent) *stateRows {
	cut := cutOf(c, s, false)
	ally, enemy := cut.StateWidths()
	return &stateRows{cut, rows, g.Input("allies of states", rows, s.Agents*ally),
		g.Input("enemies of states", rows, cut.Enemies*enemy), make([]float32, s.StateWidth)}
}

func (r *stateRows) set(row int, state []float32) {
	r.cut.SetState(rowOf(r.allies, row), rowOf(r.enemies, row), state)
}

// summarize adds the attention over the rows.
func (r *stateRows) summarize(g *nn.Graph, net *nn.Network, m nn.Summary) (*nn.Value, error) {
	in := []*nn.Value{r.allies, r.enemies}
	for _, s := range m.Segments() {
		in = append(in, g.Param(net, s))
	}
	return g.Apply(m.Op(), in...)
}

// viewer is the attention of an agent over the entities that it sees, and what
// is made of it (appendix of the paper).
type viewer struct {
	look nn.Attention
	mlp  nn.MLP
}

func planViewer(l *nn.Layout, name string, c *settings, s core.EnvSpec, action bool) viewer {
	cut := cutOf(c, s, action)
	look := l.Attention(name+".attention", cut.OwnWidth(), c.Attn, c.Embed,
		nn.Set{Name: "ally", Width: cut.AllyObs}, nn.Set{Name: "enemy", Width: cut.EnemyWidth()})
	return viewer{look, l.MLP(name+".mlp", []int{look.Width(), c.Embed, c.Embed}, nn.ActNone)}
}

// viewRows are observations in a graph.
type viewRows struct {
	cut                  entity.Cut
	rows                 *nn.Extent
	own, allies, enemies *nn.Value
	blank                []float32 // an observation of zeros
}

func openViews(g *nn.Graph, c *settings, s core.EnvSpec, rows *nn.Extent, action bool) *viewRows {
	cut := cutOf(c, s, action)
	own, allies, enemies := cut.Widths()
	return &viewRows{cut, rows, g.Input("own features", rows, own), g.Input("allies", rows, allies),
		g.Input("enemies", rows, enemies), make([]float32, s.ObsWidth)}
}

func (r *viewRows) set(row int, obs []float32, action int32, code int) {
	r.cut.Set(rowOf(r.own, row), rowOf(r.allies, row), rowOf(r.enemies, row), obs, action, code)
}

// view adds the attention over the rows.
func (r *viewRows) view(g *nn.Graph, net *nn.Network, m viewer) (*nn.Value, error) {
	f, err := g.Apply(m.look.Op(), r.own, r.allies, r.enemies, g.Param(net, m.look.Segment))
	if err != nil {
		return nil, err
	}
	return g.Apply(m.mlp.Op(), f, g.Param(net, m.mlp.Segment))
}

func rowOf(v *nn.Value, i int) []float32 { return v.Data()[i*v.Width() : (i+1)*v.Width()] }

// teamStates is the embedding of g for teams of changing size.
type teamStates struct {
	cfg *settings
	sum nn.Summary
}

func (f teamStates) width() int { return embedded(f.cfg) }

func (f teamStates) open(g *nn.Graph, net *nn.Network, rows *nn.Extent, lanes []lane) (source, error) {
	s := &teamStateRows{gathered: newGathered(f.cfg, rows)}
	for _, l := range lanes {
		r := openStates(g, f.cfg, l.spec, g.Extent(l.steps))
		v, err := r.summarize(g, net, f.sum)
		if err != nil {
			return nil, err
		}
		s.lanes = append(s.lanes, r)
		s.join(v, r.rows, l.spec.StateWidth)
	}
	return s, s.apply(g)
}

type teamStateRows struct {
	gathered
	lanes []*stateRows
}

func (s *teamStateRows) set(row, lane int, e *episode.Episode, track, t int) {
	l := s.lanes[lane]
	state := l.blank
	if t <= e.T {
		state = seen(e, track, t)
	}
	l.set(s.next(row, lane), state)
}

// teamViews is the embedding of f for teams of changing size.
type teamViews struct {
	cfg  *settings
	view viewer
}

func (f teamViews) width() int { return embedded(f.cfg) }

func (f teamViews) open(g *nn.Graph, net *nn.Network, rows *nn.Extent, lanes []lane) (source, error) {
	s := &teamViewRows{gathered: newGathered(f.cfg, rows), cfg: f.cfg, specs: lanes}
	for _, l := range lanes {
		r := openViews(g, f.cfg, l.spec, g.Extent(l.steps*l.spec.Agents), false)
		v, err := r.view(g, net, f.view)
		if err != nil {
			return nil, err
		}
		s.lanes = append(s.lanes, r)
		s.join(v, r.rows, l.spec.ObsWidth)
	}
	return s, s.apply(g)
}

type teamViewRows struct {
	gathered
	cfg   *settings
	specs []lane
	lanes []*viewRows
}

func (s *teamViewRows) set(row, lane int, e *episode.Episode, track, t int) {
	l := s.lanes[lane]
	obs := l.blank
	if t <= e.T {
		obs = seen(e, track, t)
	}
	l.set(s.next(row, lane), obs, -1, coder(s.cfg, &s.specs[lane].spec, track, t))
}
