package qmix

import (
	"macpro/core"
	"macpro/core/nn"
	"macpro/core/qlearn"
)

// perAgent gives every agent a row of W1 of its own.
const perAgent = "per_agent"

// entityMixer is QMIX for any number of agents and enemies.
type entityMixer struct {
	embed     int
	perAgent  bool
	summary   nn.Summary
	w1        nn.MLP // on e, or on [x_i; e]
	b1, wf, v nn.MLP
}

// entityMixer plans the networks. The layers of agents' states x_i in w1 are
// those of the summary.
func (c Config) entityMixer(l *nn.Layout, spec core.EnvSpec) qlearn.Mixer {
	e, w1 := c.Entity.Embed, c.Entity.Embed
	if c.Weights == perAgent {
		w1 *= 2
	}
	return &entityMixer{
		embed: c.Embed, perAgent: c.Weights == perAgent,
		summary: l.Summary("mixer", c.Entity.Attn, e, qlearn.Team{Spec: spec}.Kinds()...),
		w1:      l.Linear("mixer.w1", w1, c.Embed, nn.ActAbs),
		wf:      l.Linear("mixer.wf", e, c.Embed, nn.ActAbs),
		b1:      l.Linear("mixer.b1", e, c.Embed, nn.ActNone),
		v:       l.MLP("mixer.v", []int{e, c.Embed, 1}, nn.ActNone),
	}
}

// QTot implements qlearn.Mixer.
func (x *entityMixer) QTot(m *qlearn.Mixing) (*nn.Value, error) {
	allies, enemies := m.Team(false)
	e := m.Summary(x.summary, allies, enemies)
	var w1 *nn.Value
	if x.perAgent {
		w1 = m.Pairs(nn.Pairs{Embed: x.summary.Encoders[0], Join: x.w1}, allies, e)
	} else {
		w1 = m.Net(x.w1, e)
	}
	return m.Result(m.Apply(&mix{n: m.Spec.Agents, embed: x.embed, shared: !x.perAgent},
		m.Q, w1, m.Net(x.b1, e), m.Net(x.wf, e), m.Net(x.v, e)))
}
