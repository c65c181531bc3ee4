package qlearn_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/nn"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
)

// recordedFamily is the reference at full size: the training tasks of marines or
// of stalkers and zealots, all with the same weights.
type recordedFamily struct {
	Params map[string][]recordedParam  `json:"params"`
	Tasks  map[string]recordedFullTask `json:"tasks"`
}

// recordedParam is a name and a shape; the weights follow from their place.
type recordedParam struct {
	name  string
	shape []int
}

func (p *recordedParam) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&p.name, &p.shape})
}

// recordedFullTask has rows of two episodes with three records.
type recordedFullTask struct {
	Dims       recordedDims `json:"dims"`
	Obs        array        `json:"obs"`
	State      array        `json:"state"`
	Actions    array        `json:"actions"`
	HiddenIn   array        `json:"hidden_in"`
	Q          array        `json:"q"`
	HiddenOut  array        `json:"hidden_out"`
	AgentGrads [][]any      `json:"agent_grads"` // name, sum, sum of squares
	AgentQs    array        `json:"agent_qs"`
	QTot       array        `json:"q_tot"`
	AgentGradQ array        `json:"agent_qs_grad"`
	MixerGrads [][]any      `json:"mixer_grads"` // as of the agent
}

// formula gives the recorded weights of a module.
func formula(params []recordedParam) map[string]array {
	all := map[string]array{}
	for p, x := range params {
		a := array{shape: x.shape}
		n, scale := 1, 0.2
		for _, d := range x.shape {
			n *= d
		}
		if len(x.shape) > 1 {
			scale = 2 / math.Sqrt(float64(x.shape[len(x.shape)-1]))
		}
		for k := range n {
			a.data = append(a.data, scale*(float64((k*7919+p*104729+12345)%10007)/10007-0.5))
		}
		all[x.name] = a
	}
	return all
}

func TestRecordedSizes(t *testing.T) {
	var families map[string]recordedFamily
	readFixture(t, "attn_modules", &families)
	tasks := 0
	for _, f := range families {
		agents, mixer := formula(f.Params["agent"]), prefixed("mixer_", formula(f.Params["mixer"]))
		for name, r := range f.Tasks {
			tasks++
			spec := r.Dims.spec(2)
			spec.Task = name
			t.Run(name, func(t *testing.T) {
				checkFullAgent(t, &r, spec, agents)
				checkFullGradients(t, &r, spec, agents)
				checkFullMixer(t, &r, spec, mixer)
			})
		}
	}
	if tasks != 8 {
		t.Errorf("%d tasks, want the 8 training tasks", tasks)
	}
}

// checkFullAgent compares one step of acting, from record 0 to record 1.
func checkFullAgent(t *testing.T, r *recordedFullTask, spec core.EnvSpec, ws map[string]array) {
	s, err := qlearntest.Settings(nil)
	must(t, err)
	l, err := qlearn.New(s, spec, core.LearnerOptions{Source: rng.New(1), Threads: 1}, mixers["vdn"])
	must(t, err)
	must(t, l.SetWeights(weights(ws, "")))
	if n := len(l.Weights()); n != len(ws) {
		t.Errorf("%d tensors, recorded %d", n, len(ws))
	}
	step := newActStep(l, spec, 2)
	step.Obs, step.LastActions = r.second(spec)
	step.Hidden = r.HiddenIn.float32s()
	must(t, l.Act(step))
	if d := max(worst(step.Q, r.Q.data), worst(step.Hidden, r.HiddenOut.data)); d > tolerance {
		t.Errorf("agents: relative difference %.1e", d)
	}
}

// second is what the agents see at record 1, and their actions before.
func (r *recordedFullTask) second(spec core.EnvSpec) (obs []float32, last []int32) {
	o, n, all := spec.Agents*spec.ObsWidth, spec.Agents, r.Obs.float32s()
	for e := range 2 {
		obs = append(obs, all[(e*3+1)*o:(e*3+2)*o]...)
		for i := range n {
			last = append(last, int32(r.Actions.data[e*3*n+i]))
		}
	}
	return obs, last
}

// checkFullGradients compares the gradients of the mean of (k+1) Q_k at record 1.
func checkFullGradients(t *testing.T, r *recordedFullTask, spec core.EnvSpec, ws map[string]array) {
	_, c := entityConfig(t, 64, 64, 8)
	b, err := qlearn.NewResumedBench(c, spec, 2)
	must(t, err)
	for _, w := range weights(ws, "") {
		x, err := b.Net.Tensor(w.Name)
		must(t, err)
		copy(x.Range.Of(b.Net.Params), w.Data)
	}
	loss := make([]float32, len(r.Q.data))
	for k := range loss {
		loss[k] = float32(k+1) / float32(len(loss))
	}
	obs, last := r.second(spec)
	q, err := b.Run(obs, last, r.HiddenIn.float32s(), loss)
	must(t, err)
	if d := worst(q, r.Q.data); d > tolerance {
		t.Errorf("values with gradients: relative difference %.1e", d)
	}
	if len(r.AgentGrads) != len(ws) {
		t.Errorf("%d gradients, %d tensors", len(r.AgentGrads), len(ws))
	}
	checkSums(t, r.AgentGrads, b.Net, func(name string) string { return rename(name, "") })
}

// checkFullMixer compares Q_tot and the gradients of sum_k (k+1) Q_tot_k.
func checkFullMixer(t *testing.T, r *recordedFullTask, spec core.EnvSpec, ws map[string]array) {
	b, err := qlearntest.NewBench(mixers["qmix"], spec, 6)
	must(t, err)
	fill(t, b.Net.Params, b.Net.Tensors(), weights(ws, "wf"))
	copy(b.Q, r.AgentQs.float32s())
	copy(b.State, r.State.float32s())
	for k := range b.Weight {
		b.Weight[k] = float32(k + 1)
	}
	qlearntest.MustRun(t, b)
	if d := max(worst(b.QTot, r.QTot.data), worst(b.QGrad, r.AgentGradQ.data)); d > tolerance {
		t.Errorf("mixer: relative difference %.1e", d)
	}
	checkSums(t, r.MixerGrads, b.Net, func(name string) string {
		if slices.ContainsFunc([]string{"query.", "key.", "ally_", "enemy_"}, func(s string) bool { return strings.HasPrefix(name, s) }) {
			name = "mixer_" + name
		}
		return rename(name, "wf")
	})
}

// checkSums compares sums of gradients and of their squares, which are recorded
// with 8 decimals.
func checkSums(t *testing.T, recorded [][]any, net *nn.Network, ours func(string) string) {
	t.Helper()
	for _, g := range recorded {
		x, err := net.Tensor(ours(g[0].(string)))
		must(t, err)
		grads, sum := x.Range.Of(net.Grads), 0.0
		for _, v := range grads {
			sum += float64(v)
		}
		squares := nn.SumSq(grads)
		if d := math.Abs(squares - g[2].(float64)); d > tolerance*(1e-3+squares) {
			t.Errorf("gradient of %s: sum of squares %v, recorded %v", x.Name, squares, g[2])
		}
		if d := math.Abs(sum - g[1].(float64)); d > tolerance*(1e-3+math.Sqrt(squares*float64(len(grads)))) {
			t.Errorf("gradient of %s: sum %v, recorded %v", x.Name, sum, g[1])
		}
	}
}
