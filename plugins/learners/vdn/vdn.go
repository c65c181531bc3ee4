// Package vdn mixes values by adding them up (value decomposition networks,
// Sunehag et al., 2018):
//
//	Q_tot = sum_i q_i
//
// It has no parameters and does not look at the state.
package vdn

import (
	"fmt"

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
		Name:    "vdn",
		Summary: "sum of the agents' values (Sunehag et al., 2018)",
		Version: "1",
		Config:  configs.Read("learners/vdn.yaml"),
	}
}

// Match refuses sequences whose tasks differ in shape.
func (Plugin) Match(p core.Pairing) error { return qlearn.Match(p) }

// New makes a VDN learner.
func (Plugin) New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	return qlearn.New(s, spec, o, Mixer)
}

// Mixer plans the mixer, which needs nothing.
func Mixer(*nn.Layout, core.EnvSpec) (qlearn.Mixer, error) { return mixer{}, nil }

type mixer struct{}

// QTot implements qlearn.Mixer.
func (mixer) QTot(m *qlearn.Mixing) (*nn.Value, error) {
	return m.Result(m.Apply(sum{}, m.Q))
}

type sum struct{}

func (sum) Name() string       { return "VDN sum" }
func (sum) NeedsGrad(int) bool { return true }

func (sum) Out(ext []*nn.Extent, _ []int) (*nn.Extent, int, error) {
	if len(ext) != 1 {
		return nil, 0, fmt.Errorf("want one input, got %d", len(ext))
	}
	return ext[0], 1, nil
}

func (sum) Forward(in []nn.Mat, out nn.Mat) error {
	for k := range out.Rows {
		total := float32(0)
		for _, q := range in[0].Row(k) {
			total += q
		}
		out.Data[k] = total
	}
	return nil
}

func (sum) Backward(_ []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	for k, g := range dOut.Data {
		row := dIn[0].Row(k)
		for i := range row {
			row[i] = g
		}
	}
	return nil
}
