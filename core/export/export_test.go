package export

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/core/safetensors"
	"macpro/plugins/learners/qmix"
)

var spec = qlearntest.Spec(2)

// trained makes a learner with saved heads, after some gradient steps, and its
// policy.
func trained(t *testing.T, heads int, changes core.Settings) (*qlearn.Learner, *Policy) {
	t.Helper()
	s, err := qlearntest.Settings(core.Settings{"mlp_hidden": 9, "mlp_layers": 3, "rnn_hidden_dim": 7, "lr": 0.01, "feature_scale": 0.3})
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(s, changes)
	l, err := qlearn.New(s, spec, core.LearnerOptions{Source: rng.New(1), Threads: 1}, qmix.Config{Embed: 4, Hyper: 6, Layers: 2}.Mixer)
	if err != nil {
		t.Fatal(err)
	}
	for range heads {
		if _, err := l.NewHead(core.HeadReset); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		if _, err := l.Train(qlearntest.Episodes(rng.New(3).Stream(), spec, 6)); err != nil {
			t.Fatal(err)
		}
	}
	p, err := New(l.Weights(), spec, s)
	if err != nil {
		t.Fatal(err)
	}
	return l, p
}

// The model gives, over several steps and with batches of unlike size, the
// values and recurrent states that the learner acts with.
func TestModelActsLikeTheLearner(t *testing.T) {
	for _, c := range []core.Settings{{}, {"obs_last_action": false}, {"obs_agent_id": false, "feature_scale": 1.0}} {
		l, p := trained(t, 2, c)
		p.Meta["task"] = "small"
		b, err := p.ONNX()
		if err != nil {
			t.Fatal(err)
		}
		m, err := readModel(b)
		if err != nil {
			t.Fatal(err)
		}
		if m.ir != irVersion || m.opset != opsetVersion || m.meta["task"] != "small" || m.meta["agents"] != "2" {
			t.Errorf("format %d, operations %d, metadata %v", m.ir, m.opset, m.meta)
		}
		if !slices.Equal(m.inputs, []string{InputRows, InputHidden}) || !slices.Equal(m.outputs, []string{OutputHidden, "q", "q0", "q1"}) {
			t.Errorf("inputs %v, outputs %v", m.inputs, m.outputs)
		}
		for name, axis := range m.free {
			if axis != "batch" {
				t.Errorf("%s has the first axis %q", name, axis)
			}
		}
		if m.widths[InputRows] != uint64(p.width()) || m.widths["q1"] != uint64(spec.Actions) || m.widths[OutputHidden] != 7 {
			t.Errorf("widths %v", m.widths)
		}
		for _, lanes := range []int{1, 5} {
			compare(t, l, p, m, lanes)
		}
	}
}

func compare(t *testing.T, l *qlearn.Learner, p *Policy, m *onnxModel, lanes int) {
	t.Helper()
	rows, s := lanes*spec.Agents, rng.New(8).Stream()
	hidden := map[string][]float32{}
	mine := array{[]int{rows, 7}, make([]float64, rows*7)}
	last := slices.Repeat([]int32{-1}, rows)
	for range 4 {
		obs := qlearntest.Normals(s, rows*spec.ObsWidth)
		values := map[string]array{InputRows: p.rows(obs, last), InputHidden: mine}
		if err := m.run(values); err != nil {
			t.Fatal(err)
		}
		for name, head := range map[string]int32{"q": core.LiveHead, "q0": 0, "q1": 1} {
			if hidden[name] == nil {
				hidden[name] = make([]float32, rows*7)
			}
			step := &core.ActStep{Lanes: lanes, Obs: obs, LastActions: last, Heads: slices.Repeat([]int32{head}, rows), Hidden: hidden[name], Q: make([]float32, rows*spec.Actions)}
			if err := l.Act(step); err != nil {
				t.Fatal(err)
			}
			near(t, name, step.Q, values[name].x)
			near(t, "hidden", step.Hidden, values[OutputHidden].x)
		}
		mine = values[OutputHidden]
		for r := range last {
			last[r] = int32(s.Intn(spec.Actions))
		}
	}
}

// A model of networks apart has inputs and outputs for each agent, and acts like the
// learner.
func TestModelOfSeparateNetworks(t *testing.T) {
	l, p := trained(t, 2, core.Settings{"sharing": "none"})
	b, err := p.ONNX()
	if err != nil {
		t.Fatal(err)
	}
	m, err := readModel(b)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.outputs, []string{"hidden_out.agent0", "q.agent0", "q0.agent0", "q1.agent0", "hidden_out.agent1", "q.agent1", "q0.agent1", "q1.agent1"}) {
		t.Errorf("outputs %v", m.outputs)
	}
	const lanes, H = 3, 7
	n, o := spec.Agents, spec.ObsWidth
	s := rng.New(8).Stream()
	hidden, last := make([]array, n), slices.Repeat([]int32{-1}, lanes*n)
	for i := range hidden {
		hidden[i] = array{[]int{lanes, H}, make([]float64, lanes*H)}
	}
	step := &core.ActStep{Lanes: lanes, LastActions: last, Heads: slices.Repeat([]int32{1}, lanes*n), Hidden: make([]float32, lanes*n*H), Q: make([]float32, lanes*n*spec.Actions)}
	for range 3 {
		step.Obs = qlearntest.Normals(s, lanes*n*o)
		all, values := p.rows(step.Obs, last), map[string]array{}
		for i := range n {
			values[fmt.Sprintf("hidden.agent%d", i)] = hidden[i]
			own := array{shape: []int{lanes, p.width()}}
			for k := range lanes {
				own.x = append(own.x, all.x[(k*n+i)*p.width():(k*n+i+1)*p.width()]...)
			}
			values[fmt.Sprintf("inputs.agent%d", i)] = own
		}
		if err := m.run(values); err != nil {
			t.Fatal(err)
		}
		if err := l.Act(step); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			q, h := values[fmt.Sprintf("q1.agent%d", i)], values[fmt.Sprintf("hidden_out.agent%d", i)]
			for k := range lanes {
				r := k*n + i
				near(t, "values", step.Q[r*spec.Actions:(r+1)*spec.Actions], q.x[k*spec.Actions:(k+1)*spec.Actions])
				near(t, "hidden", step.Hidden[r*H:(r+1)*H], h.x[k*H:(k+1)*H])
			}
			hidden[i] = h
		}
		for r := range last {
			last[r] = int32(s.Intn(spec.Actions))
		}
	}
}

// rows builds the input rows as the package's documentation says.
func (p *Policy) rows(obs []float32, last []int32) array {
	a := array{shape: []int{len(last), p.width()}}
	for r, k := range last {
		for _, x := range obs[r*spec.ObsWidth : (r+1)*spec.ObsWidth] {
			a.x = append(a.x, float64(x))
		}
		if p.inputs.LastAction {
			code := make([]float64, spec.Actions)
			if k >= 0 {
				code[k] = 1
			}
			a.x = append(a.x, code...)
		}
		if p.inputs.AgentID {
			code := make([]float64, spec.Agents)
			code[r%spec.Agents] = 1
			a.x = append(a.x, code...)
		}
	}
	return a
}

func near(t *testing.T, what string, a []float32, b []float64) {
	t.Helper()
	if len(a) != len(b) {
		t.Fatalf("%s: %d values and %d", what, len(a), len(b))
	}
	for i := range a {
		if d := math.Abs(float64(a[i]) - b[i]); !(d < 1e-5) {
			t.Fatalf("%s: value %d is %v in the learner and %v in the model", what, i, a[i], b[i])
		}
	}
}

// The safetensors form has features and heads, nothing of the mixer, and what
// is needed to use them.
func TestSafetensors(t *testing.T) {
	l, p := trained(t, 1, nil)
	p.Meta["task_heads"] = "[0]"
	var b bytes.Buffer
	if err := p.Safetensors(&b); err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, w := range l.Weights() {
		if strings.HasPrefix(w.Name, "mixer") {
			continue
		}
		count++
		if x, err := safetensors.Get[float32](f, w.Name, w.Shape...); err != nil || !slices.Equal(x, w.Data) {
			t.Errorf("%s: %v", w.Name, err)
		}
	}
	if len(f.Names()) != count || !f.Has("head0.fc1.weight") {
		t.Errorf("tensors %v", f.Names())
	}
	if f.Meta["feature_scale"] != "0.3" || f.Meta["obs_width"] != "5" || f.Meta["task_heads"] != "[0]" {
		t.Errorf("metadata %v", f.Meta)
	}
}

func TestRefusals(t *testing.T) {
	_, p := trained(t, 0, nil)
	weights := p.weights
	for want, change := range map[string]func(ws []core.Weight) []core.Weight{
		`tensor "phi.attention" is no part of it`: func(ws []core.Weight) []core.Weight {
			return append(ws, core.Weight{Name: "phi.attention", Shape: []int{1}, Data: []float32{1}})
		},
		`tensor "phi.gru.bias_hh" has shape [21] there and []`: func(ws []core.Weight) []core.Weight {
			return slices.DeleteFunc(ws, func(w core.Weight) bool { return w.Name == "phi.gru.bias_hh" })
		},
		`tensor "head.fc1.bias" has shape [4] there and [3]`: func(ws []core.Weight) []core.Weight {
			for i, w := range ws {
				if w.Name == "head.fc1.bias" {
					ws[i] = core.Weight{Name: w.Name, Shape: []int{3}, Data: w.Data[:3]}
				}
			}
			return ws
		},
	} {
		p.weights = change(slices.Clone(weights))
		if _, err := p.ONNX(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	s, err := qlearntest.Settings(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New([]core.Weight{{Name: "mixer.v"}}, spec, s); err == nil || !strings.Contains(fmt.Sprint(err), "nothing that acts") {
		t.Errorf("a mixer alone: %v", err)
	}
}
