// Package qmix mixes values by a monotonic network whose weights are made by
// hypernetworks from the central state (QMIX, Rashid et al., 2018):
//
//	Q_tot = elu(q W1 + b1) . wf + V
//
// with W1 = |f(s)| [n,E], b1 = f(s) [E], wf = |f(s)| [E] and V = f(s), each f a
// network of its own. Because W1 and wf are not negative, Q_tot grows with every
// agent's value, so that the agents' greedy actions are the team's.
//
// Where tasks are made of entities, the networks read a summary e of the state
// (nn.Summary) instead of s, so that the same parameters serve any number of
// agents and enemies. Then W1 has one row for all agents, |f(e)|, and Q_tot is a
// monotonic function of the sum of their values (the paper's code, "shared"); or
// each agent has a row of its own, |f(x_i, e)| with its embedded state x_i
// ("per_agent").
package qmix

import (
	"fmt"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/nn"
	"macpro/core/qlearn"
)

// Plugin registers the learner.
type Plugin struct{}

var (
	_ core.LearnerPlugin = Plugin{}
	_ core.Matcher       = Plugin{}
)

// Config are the mixer's own settings.
type Config struct {
	Embed  int `cfg:"mixing_embed_dim" min:"1" max:"4096" help:"E, width of the mixing network"`
	Hyper  int `cfg:"hypernet_embed" min:"1" max:"4096" only:"flat hypernet_layers=2" help:"hidden width of the hypernetworks of W1 and wf"`
	Layers int `cfg:"hypernet_layers" min:"1" max:"2" only:"flat" help:"layers of the hypernetworks of W1 and wf"`
	// Weights is the kind of W1 where tasks are made of entities, whose widths
	// are Entity. Hyper and Layers play no part there.
	Weights string `cfg:"qmix_attn_weights" enum:"shared,per_agent" only:"entities" help:"rows of W1: one for all agents, or one for each from its state"`
	Entity  qlearn.EntityConfig
}

// Info describes the learner.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "qmix",
		Summary: "monotonic mixing by state-conditioned weights (Rashid et al., 2018)",
		Version: "1",
		Config:  configs.Read("learners/qmix.yaml"),
		Schema:  config.Schema(Config{}),
	}
}

// Match refuses sequences whose tasks one network cannot serve.
func (Plugin) Match(p core.Pairing) error { return qlearn.Match(p) }

// New makes a QMIX learner.
func (Plugin) New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	var c Config
	if err := config.Decode(s, &c, &c.Entity); err != nil {
		return nil, fmt.Errorf("qmix: %w", err)
	}
	return qlearn.New(s, spec, o, c.Mixer)
}

// mixer holds the networks on the state.
type mixer struct {
	n, embed      int
	w1, b1, wf, v nn.MLP
}

// Mixer plans the hypernetworks for a task.
func (c Config) Mixer(l *nn.Layout, spec core.EnvSpec) (qlearn.Mixer, error) {
	if spec.Entities != nil {
		return c.entityMixer(l, spec), nil
	}
	n, state := spec.Agents, spec.StateWidth
	hyper := func(out int) []int {
		if c.Layers == 1 {
			return []int{state, out}
		}
		return []int{state, c.Hyper, out}
	}
	return &mixer{
		n: n, embed: c.Embed,
		w1: l.MLP("mixer.w1", hyper(n*c.Embed), nn.ActAbs),
		wf: l.MLP("mixer.wf", hyper(c.Embed), nn.ActAbs),
		b1: l.Linear("mixer.b1", state, c.Embed, nn.ActNone),
		v:  l.MLP("mixer.v", []int{state, c.Embed, 1}, nn.ActNone),
	}, nil
}

// QTot implements qlearn.Mixer.
func (x *mixer) QTot(m *qlearn.Mixing) (*nn.Value, error) {
	s := m.State()
	return m.Result(m.Apply(&mix{n: x.n, embed: x.embed},
		m.Q, m.Net(x.w1, s), m.Net(x.b1, s), m.Net(x.wf, s), m.Net(x.v, s)))
}
