// Package qplex mixes values by a duplex dueling network (QPLEX, Wang et al.,
// 2021), in the authors' general form:
//
//	Q_tot = sum_i q~_i + sum_i (lambda_i - 1) A_i
//	q~_i  = w_i(s) q_i + v_i(s),  V~_i = w_i(s) V_i + v_i(s)
//	A_i   = q~_i - V~_i <= 0, without gradient
//
// where V_i is the largest value of agent i. The weights lambda_i > 0 depend on
// the state and the joint action through several kernels. Q_tot can represent
// every function whose best joint action consists of the agents' best actions.
//
// Where tasks are made of entities, the networks give one number for each agent
// from its embedded state x_i and a summary e of the state (nn.Summary), so that
// the same parameters serve any number of agents and enemies:
//
//	w_i = |f(x_i, e)|, v_i = f(x_i, e)
//	lambda_i = sum_kernels |f(e)| sigmoid(f(x_i, e)) sigmoid(f(x'_i, e'))
//
// each f a network of its own. x'_i and e' are another embedding and summary of
// the state, in which agents come with their actions and enemies with the share
// of the team that attacks them: the place of the joint action. All weights stay
// positive, so the team's greedy actions are still the agents' own, and Q_tot
// does not depend on the order of agents or enemies.
package qplex

import (
	"fmt"
	"slices"

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
	Hyper     int                 `cfg:"hypernet_embed" min:"1" max:"4096" only:"qplex_weighted_head=true" help:"hidden width of the networks of w and v"`
	Kernels   int                 `cfg:"qplex_num_kernel" min:"1" help:"kernels that lambda is summed over"`
	AdvLayers int                 `cfg:"qplex_adv_layers" min:"1" max:"3" help:"layers of the kernels' networks"`
	AdvEmbed  int                 `cfg:"qplex_adv_embed" min:"1" only:"qplex_adv_layers!=1" help:"hidden width of the kernels' networks"`
	Weighted  bool                `cfg:"qplex_weighted_head" help:"scale and shift values by w and v; false uses them as they are"`
	MinusOne  bool                `cfg:"qplex_minus_one" help:"weigh advantages by lambda - 1 instead of lambda"`
	Entity    qlearn.EntityConfig // where tasks are made of entities
}

// Info describes the learner.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "qplex",
		Summary: "duplex dueling network, complete for greedy joint actions (Wang et al., 2021)",
		Version: "1",
		Config:  configs.Read("learners/qplex.yaml"),
		Schema:  config.Schema(Config{}),
	}
}

// Match refuses sequences whose tasks one network cannot serve.
func (Plugin) Match(p core.Pairing) error { return qlearn.Match(p) }

// New makes a QPLEX learner.
func (Plugin) New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	var c Config
	if err := config.Decode(s, &c, &c.Entity); err != nil {
		return nil, fmt.Errorf("qplex: %w", err)
	}
	return qlearn.New(s, spec, o, c.Mixer)
}

// mixer holds the networks on the state and the joint action.
type mixer struct {
	Config
	w, v    nn.MLP
	kernels []kernel
}

// kernel is one summand of lambda.
type kernel struct{ key, agent, action nn.MLP }

// Mixer plans the networks for a task.
func (c Config) Mixer(l *nn.Layout, spec core.EnvSpec) (qlearn.Mixer, error) {
	if spec.Entities != nil {
		return c.entityMixer(l, spec), nil
	}
	n, state := spec.Agents, spec.StateWidth
	x := &mixer{Config: c}
	if c.Weighted {
		x.w = l.MLP("mixer.w", []int{state, c.Hyper, n}, nn.ActAbs)
		x.v = l.MLP("mixer.v", []int{state, c.Hyper, n}, nn.ActNone)
	}
	for j := range c.Kernels {
		x.kernels = append(x.kernels, kernel{
			key:    l.MLP(fmt.Sprintf("mixer.key%d", j), c.widths(state, 1), nn.ActAbs),
			agent:  l.MLP(fmt.Sprintf("mixer.agent%d", j), c.widths(state, n), nn.ActNone),
			action: l.MLP(fmt.Sprintf("mixer.action%d", j), c.widths(state+n*spec.Actions, n), nn.ActNone),
		})
	}
	return x, nil
}

func (c Config) widths(in, out int) []int {
	w := []int{in}
	for range c.AdvLayers - 1 {
		w = append(w, c.AdvEmbed)
	}
	return append(w, out)
}

// mix combines the values with the inputs that scale them (w and v, if weighted)
// and those of the kernels, three for each.
func (c Config) mix(m *qlearn.Mixing, scale, kernels []*nn.Value) (*nn.Value, error) {
	in := slices.Concat([]*nn.Value{m.Q, m.Top()}, scale, kernels)
	return m.Result(m.Apply(&mix{n: m.Spec.Agents, kernels: c.Kernels, weighted: c.Weighted, minusOne: c.MinusOne}, in...))
}

// QTot implements qlearn.Mixer.
func (x *mixer) QTot(m *qlearn.Mixing) (*nn.Value, error) {
	s := m.State()
	both := m.Apply(nn.Beside(), s, m.Joint())
	var scale, kernels []*nn.Value
	if x.Weighted {
		scale = append(scale, m.Net(x.w, s), m.Net(x.v, s))
	}
	for _, k := range x.kernels {
		kernels = append(kernels, m.Net(k.key, s), m.Net(k.agent, s), m.Net(k.action, both))
	}
	return x.mix(m, scale, kernels)
}
