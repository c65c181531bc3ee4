package qlearn

import (
	"fmt"
	"slices"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/nn"
)

// agent is the plan of the network of the agents: features phi with a recurrent
// state and a head psi on them. Its parameters come first in the learner's
// network, phi before the head. There are three: rnn for flat observations and
// attentive for observations made of entities, which all agents share, and
// separate, an rnn for each agent.
type agent interface {
	// fits is an error unless the network can serve a task.
	fits(spec core.EnvSpec) error
	phi() nn.Range
	// head lists the head's segments, side by side.
	head() []nn.Segment
	// hidden is the width of the recurrent state.
	hidden() int
	// inputs adds the inputs for a task to a graph, one row per record and agent.
	inputs(g *nn.Graph, v *view, spec core.EnvSpec) inputs
	// actor is the network without a graph, on the parameters of net.
	actor(net *nn.Network) (actor, error)
	// psi is a head for acting, on the parameters of net or with net nil on
	// those that it loads.
	psi(net *nn.Network) (psi, error)
	// layers lists the layers of phi and the head from the input on.
	layers() []core.Layer
	// tracer is the network without a graph, with all of its layers in sight.
	tracer(net *nn.Network) tracer
}

// tracer computes one step like an actor and shows the activations of every
// layer, in the order of agent.layers.
type tracer interface {
	trace(spec core.EnvSpec, last []int32, obs, hidden []float32, see func(layer int, x []float32)) error
}

// inputs are what the networks of one graph read.
type inputs interface {
	// set writes the input row of agent i, whose last action is last, -1 at an
	// episode's start, and whose available actions avail [A] marks.
	set(row int, obs []float32, avail []uint8, last int32, i int)
	// q adds the network with the parameters of net: the values [records*n, A] of
	// all available actions; those of others mean nothing. For each of heads it adds
	// those that a fixed head, with the parameters of that network, gives on the same
	// features.
	q(net *nn.Network, heads ...*nn.Network) ([]*nn.Value, error)
}

// actor computes features without a graph.
type actor interface {
	// advance moves the recurrent states on by one step and returns the
	// features, which stay valid until the next call.
	advance(spec core.EnvSpec, last []int32, obs, hidden []float32) (features, error)
}

// features are what phi makes of some rows of one time step.
type features struct {
	hidden  []float32 // [rows, hidden] recurrent states
	width   int       // hidden
	enemies []float32 // [rows, m, embed] embedded enemies, nil for flat observations
	m       int
	agents  int // with networks of their own, else 0
	first   int // of these agents, that of the first row
}

// rows are the features of the rows from lo to hi.
func (f features) rows(lo, hi int) features {
	all := len(f.hidden) / f.width
	f.hidden = f.hidden[lo*f.width : hi*f.width]
	if f.agents > 0 {
		f.first = (f.first + lo) % f.agents
	}
	if f.enemies != nil {
		each := len(f.enemies) / all
		f.enemies = f.enemies[lo*each : hi*each]
	}
	return f
}

// psi is a head that is packed for acting.
type psi interface {
	// load packs parameters, a copy of those of the head's segments.
	load(params []float32) error
	// values computes the action values q of some rows.
	values(f features, q []float32) error
}

// planAgent plans the network that a task asks for.
func planAgent(l *nn.Layout, c Config, spec core.EnvSpec) (agent, error) {
	switch own := c.Sharing == sharingNone; {
	case own && spec.Entities != nil:
		return nil, fmt.Errorf("sharing %s: tasks of %s have teams that change their size, and a network for each agent serves one size: use sharing full", c.Sharing, spec.Env)
	case own:
		return planSeparate(l, c, spec), nil
	case spec.Entities == nil:
		return planRNN(l, c, spec), nil
	}
	return planAttentive(l, c, spec)
}

// Match refuses a sequence whose tasks one network cannot serve; it serves the
// Match of a learner's plugin.
func Match(p core.Pairing) error {
	var c Config
	if err := config.Decode(p.Settings, &c); err != nil {
		return fmt.Errorf("%s: %w", p.Learner, err)
	}
	var l nn.Layout
	a, err := planAgent(&l, c, p.Tasks[0])
	for _, spec := range p.Tasks {
		if err == nil {
			err = a.fits(spec)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.Learner, err)
	}
	return nil
}

// headRange is the range of a head in the flat parameters.
func headRange(a agent) nn.Range {
	s := a.head()
	return nn.Range{Lo: s[0].Range().Lo, Hi: s[len(s)-1].Range().Hi}
}

// headTensors lists the tensors of a head: names without the segment's leading
// "head", ranges from the head's start.
func headTensors(a agent) []nn.Tensor {
	var all []nn.Tensor
	start := headRange(a).Lo
	for _, s := range a.head() {
		for _, t := range s.Tensors {
			lo := s.Offset + t.Offset - start
			all = append(all, nn.Tensor{Name: s.Name[len("head"):] + "." + t.Name, Shape: slices.Clone(t.Shape), Range: nn.Range{Lo: lo, Hi: lo + t.Len()}})
		}
	}
	return all
}
