// Command wvdn is a learner plugin: the value-based learner of macpro with a
// mixer of its own, which weighs the agents' values by the state,
//
//	Q_tot = sum_i |w_i(s)| q_i + v(s)
//
// where w and v are linear in the state.
package main

import (
	"fmt"

	"macpro/core"
	"macpro/core/nn"
	"macpro/core/qlearn"
	"macpro/registry/remote"
)

func main() { remote.Serve(Plugin{}) }

// Plugin is the learner "wvdn".
type Plugin struct{}

var (
	_ core.LearnerPlugin = Plugin{}
	_ core.Matcher       = Plugin{}
)

// Info describes the learner.
func (Plugin) Info() core.Info {
	return core.Info{Name: "wvdn", Summary: "sum of the agents' values, weighed by the state", Version: "1", Config: []byte("# No keys of its own.\n")}
}

// Match refuses sequences whose tasks differ in shape: the mixer's layers fit
// one team and one width of the state.
func (Plugin) Match(p core.Pairing) error {
	first := p.Tasks[0]
	for _, t := range p.Tasks {
		if t.Agents != first.Agents || t.StateWidth != first.StateWidth {
			return fmt.Errorf("wvdn: tasks %s and %s differ in team or state: %d and %d agents, states of %d and %d",
				first.Task, t.Task, first.Agents, t.Agents, first.StateWidth, t.StateWidth)
		}
	}
	return qlearn.Match(p)
}

// New makes a learner.
func (Plugin) New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	return qlearn.New(s, spec, o, func(l *nn.Layout, spec core.EnvSpec) (qlearn.Mixer, error) {
		return mixer{
			w: l.Linear("mixer.w", spec.StateWidth, spec.Agents, nn.ActAbs),
			v: l.Linear("mixer.v", spec.StateWidth, 1, nn.ActNone),
		}, nil
	})
}

// mixer holds the two layers on the state.
type mixer struct{ w, v nn.MLP }

// QTot implements qlearn.Mixer.
func (x mixer) QTot(m *qlearn.Mixing) (*nn.Value, error) {
	s := m.State()
	return m.Result(m.Apply(weigh{}, m.Q, m.Net(x.w, s), m.Net(x.v, s)))
}

// weigh computes w . q + v row by row.
type weigh struct{}

func (weigh) Name() string       { return "weighted sum" }
func (weigh) NeedsGrad(int) bool { return true }

func (weigh) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if len(width) != 3 || width[0] != width[1] || width[2] != 1 {
		return nil, 0, fmt.Errorf("want values, weights of the same width and an offset, got widths %v", width)
	}
	return ext[0], 1, nil
}

func (weigh) Forward(in []nn.Mat, out nn.Mat) error {
	for k := range out.Rows {
		sum, w := in[2].Data[k], in[1].Row(k)
		for i, q := range in[0].Row(k) {
			sum += w[i] * q
		}
		out.Data[k] = sum
	}
	return nil
}

func (weigh) Backward(in []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	copy(dIn[2].Data, dOut.Data)
	for k, g := range dOut.Data {
		q, w, dq, dw := in[0].Row(k), in[1].Row(k), dIn[0].Row(k), dIn[1].Row(k)
		for i := range q {
			dq[i], dw[i] = g*w[i], g*q[i]
		}
	}
	return nil
}
