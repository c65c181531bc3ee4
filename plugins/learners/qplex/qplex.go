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
package qplex

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
	Hyper     int  `cfg:"hypernet_embed" min:"1" help:"hidden width of the networks of w and v"`
	Kernels   int  `cfg:"qplex_num_kernel" min:"1" help:"kernels that lambda is summed over"`
	AdvLayers int  `cfg:"qplex_adv_layers" min:"1" max:"3" help:"layers of the kernels' networks"`
	AdvEmbed  int  `cfg:"qplex_adv_embed" min:"1" help:"hidden width of the kernels' networks"`
	Weighted  bool `cfg:"qplex_weighted_head" help:"scale and shift values by w and v; false uses them as they are"`
	MinusOne  bool `cfg:"qplex_minus_one" help:"weigh advantages by lambda - 1 instead of lambda"`
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

// Match refuses sequences whose tasks differ in shape.
func (Plugin) Match(p core.Pairing) error { return qlearn.Match(p) }

// New makes a QPLEX learner.
func (Plugin) New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	var c Config
	if err := config.Decode(s, &c); err != nil {
		return nil, fmt.Errorf("qplex: %w", err)
	}
	return qlearn.New(s, spec, o, c.Mixer)
}

// mixer holds the networks on the state and the joint action.
type mixer struct {
	Config
	n       int
	w, v    nn.MLP
	kernels []kernel
}

// kernel is one summand of lambda.
type kernel struct{ key, agent, action nn.MLP }

// Mixer plans the networks for a task's shapes.
func (c Config) Mixer(l *nn.Layout, spec core.EnvSpec) (qlearn.Mixer, error) {
	n, state := spec.Agents, spec.StateWidth
	x := &mixer{Config: c, n: n}
	if c.Weighted {
		x.w = l.MLP("mixer.w", []int{state, c.Hyper, n}, nn.ActAbs)
		x.v = l.MLP("mixer.v", []int{state, c.Hyper, n}, nn.ActNone)
	}
	widths := func(in, out int) []int {
		w := []int{in}
		for range c.AdvLayers - 1 {
			w = append(w, c.AdvEmbed)
		}
		return append(w, out)
	}
	for j := range c.Kernels {
		x.kernels = append(x.kernels, kernel{
			key:    l.MLP(fmt.Sprintf("mixer.key%d", j), widths(state, 1), nn.ActAbs),
			agent:  l.MLP(fmt.Sprintf("mixer.agent%d", j), widths(state, n), nn.ActNone),
			action: l.MLP(fmt.Sprintf("mixer.action%d", j), widths(state+n*spec.Actions, n), nn.ActNone),
		})
	}
	return x, nil
}

// QTot implements qlearn.Mixer.
func (x *mixer) QTot(m *qlearn.Mixing) (*nn.Value, error) {
	s := m.State()
	both := m.Apply(beside{}, s, m.Joint())
	in := []*nn.Value{m.Q, m.Top()}
	if x.Weighted {
		in = append(in, m.Net(x.w, s), m.Net(x.v, s))
	}
	for _, k := range x.kernels {
		in = append(in, m.Net(k.key, s), m.Net(k.agent, s), m.Net(k.action, both))
	}
	return m.Result(m.Apply(&mix{n: x.n, kernels: x.Kernels, weighted: x.Weighted, minusOne: x.MinusOne}, in...))
}

// beside puts the rows of its two inputs beside each other. Neither of them
// gets a gradient.
type beside struct{}

func (beside) Name() string       { return "state and joint action" }
func (beside) NeedsGrad(int) bool { return false }

func (beside) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if len(ext) != 2 || ext[0] != ext[1] {
		return nil, 0, fmt.Errorf("want two inputs with equal rows, got %d", len(ext))
	}
	return ext[0], width[0] + width[1], nil
}

func (beside) Forward(in []nn.Mat, out nn.Mat) error {
	for k := range out.Rows {
		row := out.Row(k)
		copy(row[copy(row, in[0].Row(k)):], in[1].Row(k))
	}
	return nil
}

func (beside) Backward([]nn.Mat, nn.Mat, nn.Mat, []nn.Mat) error { return nil }
