package qlearn

import (
	"macpro/core"
	"macpro/core/nn"
)

// Mixer is the open end of the learner: it turns the values of a team's actions
// and the central state into Q_tot. It is the plan of a network, like nn's
// modules, and is used in several graphs, with the online and the target
// parameters.
type Mixer interface {
	// QTot adds the mix to a graph and returns Q_tot, one column. A mixer that
	// leaves the agents independent returns one column for each: each then has a
	// target of its own with the team's reward, and the loss is their mean.
	QTot(m *Mixing) (*nn.Value, error)
}

// NewMixer plans a mixer for a task: it adds the mixer's modules, if any, to
// the layout. The names of its segments must start with "mixer.".
type NewMixer func(l *nn.Layout, spec core.EnvSpec) (Mixer, error)

// Mixing is the place that a mixer fills in one graph: what it may read, one
// row per transition, and the means to apply operations: Net, Pairs, Summary and
// Apply. The first fault of any of its methods is kept and returned by Result, so
// that a mixer need not look at errors in between.
type Mixing struct {
	builder
	Spec core.EnvSpec
	Q    *nn.Value // [n], values of the agents' actions

	state func() *nn.Value
	joint func() *nn.Value
	top   func() (*nn.Value, error)
}

// NewMixing is a place whose inputs all exist already: values q and largest
// values top [n], joint actions [n*A] and states [S], with equal rows. The mixer
// reads its parameters from net.
func NewMixing(g *nn.Graph, net *nn.Network, spec core.EnvSpec, q, top, joint, state *nn.Value) *Mixing {
	return &Mixing{
		builder: builder{what: "mixer", graph: g, net: net}, Spec: spec, Q: q,
		state: func() *nn.Value { return state },
		joint: func() *nn.Value { return joint },
		top:   func() (*nn.Value, error) { return top, nil },
	}
}

// State is the central state [S], scaled.
func (m *Mixing) State() *nn.Value { return m.state() }

// Joint is the joint action [n*A], one-hot per agent.
func (m *Mixing) Joint() *nn.Value { return m.joint() }

// Top holds the largest values over each agent's available actions [n]. No
// gradient flows into it.
func (m *Mixing) Top() *nn.Value {
	v, err := m.top()
	return m.keep(v, err)
}
