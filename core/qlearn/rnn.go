package qlearn

import (
	"fmt"

	"macpro/core"
	"macpro/core/nn"
)

// rnn is the agent network for flat observations (appendix of the paper): a
// stack of layers with ReLU after each and a GRU are the features phi, one layer
// on the recurrent state is the head psi. A row of its input is
//
//	[obs*feature_scale; one-hot last action; one-hot agent]
type rnn struct {
	cfg  Config
	spec core.EnvSpec // the task it was planned for
	own  int          // the agent that it belongs to, anyAgent if all share it

	mlp   nn.MLP
	gru   nn.GRU
	layer nn.MLP // the head
}

var _ agent = (*rnn)(nil)

// anyAgent is the owner of a network that all agents share.
const anyAgent = -1

// planRNN adds the modules of phi and then the head to an empty layout.
func planRNN(l *nn.Layout, c Config, spec core.EnvSpec) *rnn {
	r := &rnn{cfg: c, spec: spec, own: anyAgent}
	r.planPhi(l, "phi")
	r.planHead(l, "head")
	return r
}

func (r *rnn) planPhi(l *nn.Layout, name string) {
	widths := []int{r.width()}
	for range r.cfg.MLPLayers - 1 {
		widths = append(widths, r.cfg.MLPHidden)
	}
	r.mlp = l.MLP(name+".mlp", append(widths, r.cfg.RNNHiddenDim), nn.ActReLU)
	r.gru = l.GRU(name+".gru", r.cfg.RNNHiddenDim, r.cfg.RNNHiddenDim)
}

func (r *rnn) planHead(l *nn.Layout, name string) {
	r.layer = l.Linear(name, r.cfg.RNNHiddenDim, r.spec.Actions, nn.ActNone)
}

// agentOf is the agent of a row of a time step.
func (r *rnn) agentOf(row int) int {
	if r.own != anyAgent {
		return r.own
	}
	return row % r.spec.Agents
}

func (r *rnn) width() int {
	w := r.spec.ObsWidth
	if r.cfg.ObsLastAction {
		w += r.spec.Actions
	}
	if r.cfg.ObsAgentID {
		w += r.spec.Agents
	}
	return w
}

func (r *rnn) phi() nn.Range      { return nn.Range{Lo: r.mlp.Offset, Hi: r.gru.Range().Hi} }
func (r *rnn) head() []nn.Segment { return []nn.Segment{r.layer.Segment} }
func (r *rnn) hidden() int        { return r.gru.Hidden }

// fits refuses tasks of other shapes; limits may differ.
func (r *rnn) fits(spec core.EnvSpec) error { return sameShapes(r.spec, spec) }

// input writes the input row of agent i, whose last action is last, -1 at an
// episode's start.
func (r *rnn) input(dst, obs []float32, last int32, i int) {
	scale := float32(r.cfg.FeatureScale)
	for j, x := range obs {
		dst[j] = scale * x
	}
	rest := dst[len(obs):]
	clear(rest)
	if r.cfg.ObsLastAction {
		if last >= 0 {
			rest[last] = 1
		}
		rest = rest[r.spec.Actions:]
	}
	if r.cfg.ObsAgentID {
		rest[i] = 1
	}
}

// rnnInputs is the input of a graph, [records*n, width].
type rnnInputs struct {
	r    *rnn
	g    *nn.Graph
	time *nn.Steps
	x    *nn.Value
}

func (r *rnn) inputs(g *nn.Graph, v *view, _ core.EnvSpec) inputs {
	return &rnnInputs{r, g, &v.time, g.Input("inputs", v.agents, r.width())}
}

func (in *rnnInputs) set(row int, obs []float32, _ []uint8, last int32, i int) {
	w := in.x.Width()
	in.r.input(in.x.Data()[row*w:(row+1)*w], obs, last, i)
}

func (in *rnnInputs) q(net *nn.Network, heads ...*nn.Network) ([]*nn.Value, error) {
	r, b := in.r, &builder{what: "agents", graph: in.g, net: net}
	h := b.Apply(r.gru.Op(in.time), b.Net(r.mlp, in.x), b.Param(r.gru.Segment))
	return b.heads(heads, func(param paramOf) *nn.Value { return b.Apply(r.layer.Op(), h, param(r.layer.Segment)) })
}

// sameShapes is an error unless a task has the shapes that a learner was
// planned for.
func sameShapes(planned, spec core.EnvSpec) error {
	a, b := shapesOf(planned), shapesOf(spec)
	if a != b {
		return fmt.Errorf("task %s/%s (%v) does not fit a learner made for %s/%s (%v)",
			spec.Env, spec.Task, b, planned.Env, planned.Task, a)
	}
	return nil
}

// shapes are the numbers of a task that parameters depend on.
type shapes struct{ agents, actions, obs, state int }

func shapesOf(s core.EnvSpec) shapes {
	return shapes{s.Agents, s.Actions, s.ObsWidth, s.StateWidth}
}

func (s shapes) String() string {
	return fmt.Sprintf("%d agents, %d actions, observations of %d and states of %d", s.agents, s.actions, s.obs, s.state)
}
