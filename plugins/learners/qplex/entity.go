package qplex

import (
	"fmt"

	"macpro/core"
	"macpro/core/nn"
	"macpro/core/qlearn"
)

// entityMixer is QPLEX for any number of agents and enemies.
type entityMixer struct {
	Config
	state, acting nn.Summary // without and with the joint action
	w, v          nn.MLP     // on [x_i; e]
	kernels       []kernel   // on e, [x_i; e] and [x'_i; e']
}

// entityMixer plans the networks. The layers that embed agents are those of the
// summaries.
func (c Config) entityMixer(l *nn.Layout, spec core.EnvSpec) qlearn.Mixer {
	e := c.Entity.Embed
	summary := func(name string, acting bool) nn.Summary {
		return l.Summary(name, c.Entity.Attn, e, qlearn.Team{Spec: spec, Acting: acting}.Kinds()...)
	}
	x := &entityMixer{Config: c, state: summary("mixer.state", false), acting: summary("mixer.acting", true)}
	if c.Weighted {
		x.w = l.MLP("mixer.w", []int{2 * e, c.Hyper, 1}, nn.ActAbs)
		x.v = l.MLP("mixer.v", []int{2 * e, c.Hyper, 1}, nn.ActNone)
	}
	for j := range c.Kernels {
		x.kernels = append(x.kernels, kernel{
			key:    l.MLP(fmt.Sprintf("mixer.key%d", j), c.widths(e, 1), nn.ActAbs),
			agent:  l.MLP(fmt.Sprintf("mixer.agent%d", j), c.widths(2*e, 1), nn.ActNone),
			action: l.MLP(fmt.Sprintf("mixer.action%d", j), c.widths(2*e, 1), nn.ActNone),
		})
	}
	return x
}

// QTot implements qlearn.Mixer.
func (x *entityMixer) QTot(m *qlearn.Mixing) (*nn.Value, error) {
	allies, enemies := m.Team(false)
	e := m.Summary(x.state, allies, enemies)
	actors, targets := m.Team(true)
	acting := m.Summary(x.acting, actors, targets)
	each := func(f nn.MLP) *nn.Value { return m.Pairs(nn.Pairs{Embed: x.state.Encoders[0], Join: f}, allies, e) }
	var scale, kernels []*nn.Value
	if x.Weighted {
		scale = append(scale, each(x.w), each(x.v))
	}
	for _, k := range x.kernels {
		kernels = append(kernels, m.Net(k.key, e), each(k.agent),
			m.Pairs(nn.Pairs{Embed: x.acting.Encoders[0], Join: k.action}, actors, acting))
	}
	return x.mix(m, scale, kernels)
}
