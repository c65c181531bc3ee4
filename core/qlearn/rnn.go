package qlearn

import (
	"fmt"

	"macpro/core"
	"macpro/core/nn"
)

// rnn is the agent network, one for all agents (appendix of the paper): a stack
// of layers with ReLU after each and a GRU are the features phi, one layer on
// the recurrent state is the head psi. A row of its input is
//
//	[obs*feature_scale; one-hot last action; one-hot agent]
type rnn struct {
	cfg  Config
	spec core.EnvSpec // the task it was planned for

	mlp  nn.MLP
	gru  nn.GRU
	head nn.MLP
}

// planRNN adds the modules of phi and then the head to an empty layout.
func planRNN(l *nn.Layout, c Config, spec core.EnvSpec) *rnn {
	r := &rnn{cfg: c, spec: spec}
	widths := []int{r.inputs()}
	for range c.MLPLayers - 1 {
		widths = append(widths, c.MLPHidden)
	}
	r.mlp = l.MLP("phi.mlp", append(widths, c.RNNHiddenDim), nn.ActReLU)
	r.gru = l.GRU("phi.gru", c.RNNHiddenDim, c.RNNHiddenDim)
	r.head = l.Linear("head", c.RNNHiddenDim, spec.Actions, nn.ActNone)
	return r
}

// inputs is the width of an input row.
func (r *rnn) inputs() int {
	w := r.spec.ObsWidth
	if r.cfg.ObsLastAction {
		w += r.spec.Actions
	}
	if r.cfg.ObsAgentID {
		w += r.spec.Agents
	}
	return w
}

// phi is the range of the features in the flat parameters.
func (r *rnn) phi() nn.Range { return nn.Range{Lo: 0, Hi: r.gru.Range().Hi} }

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

// q adds the network to a graph: the values of all actions [records*n, A].
func (r *rnn) q(g *nn.Graph, net *nn.Network, x *nn.Value, time *nn.Steps) (*nn.Value, error) {
	h, err := g.Apply(r.mlp.Op(), x, g.Param(net, r.mlp.Segment))
	if err != nil {
		return nil, err
	}
	if h, err = g.Apply(r.gru.Op(time), h, g.Param(net, r.gru.Segment)); err != nil {
		return nil, err
	}
	return g.Apply(r.head.Op(), h, g.Param(net, r.head.Segment))
}

// Match refuses a sequence whose tasks differ in shape, since the recurrent
// agents' parameters fit one shape only; it serves the Match of a learner's
// plugin.
func Match(p core.Pairing) error {
	for _, spec := range p.Tasks {
		if err := sameShapes(p.Tasks[0], spec); err != nil {
			return fmt.Errorf("%s: %w", p.Learner, err)
		}
	}
	return nil
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
