// Package iql learns the values of each agent alone, from the team's reward
// (independent Q-learning; Tan, 1993): there is no mixer, and the loss of a
// transition is the mean over agents
//
//	1/n sum_i (q_i - y_i)^2,  y_i = r + gamma max_a q'_i(a)
//
// The agents share one network, as with the other learners. Where Q_tot is asked
// for it is the mean of the agents' values.
package iql

import (
	"macpro/configs"
	"macpro/core"
	"macpro/core/nn"
	"macpro/core/qlearn"
)

// Plugin registers the learner.
type Plugin struct{}

var (
	_ core.LearnerPlugin = Plugin{}
	_ core.Matcher       = Plugin{}
)

// Info describes the learner.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "iql",
		Summary: "each agent learns alone from the team's reward (Tan, 1993)",
		Version: "1",
		Config:  configs.Read("learners/iql.yaml"),
	}
}

// Match refuses sequences whose tasks differ in shape.
func (Plugin) Match(p core.Pairing) error { return qlearn.Match(p) }

// New makes an IQL learner.
func (Plugin) New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	return qlearn.New(s, spec, o, Mixer)
}

// Mixer plans the mixer, which needs nothing.
func Mixer(*nn.Layout, core.EnvSpec) (qlearn.Mixer, error) { return mixer{}, nil }

type mixer struct{}

// QTot implements qlearn.Mixer: one column for each agent.
func (mixer) QTot(m *qlearn.Mixing) (*nn.Value, error) { return m.Result(m.Q) }
