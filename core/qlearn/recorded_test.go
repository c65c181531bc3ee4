package qlearn_test

import (
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/plugins/learners/qmix"
	"macpro/plugins/learners/qplex"
	"macpro/plugins/learners/vdn"
)

// recordedMixer is a mixer by itself; the loss is sum(loss_weights * q_tot).
type recordedMixer struct {
	Args struct {
		N        int  `json:"n_agents"`
		A        int  `json:"n_actions"`
		Hyper    int  `json:"hypernet_embed"`
		AdvEmbed int  `json:"adv_hypernet_embed"`
		Layers   int  `json:"adv_hypernet_layers"`
		Kernels  int  `json:"num_kernel"`
		MinusOne bool `json:"is_minus_one"`
		Weighted bool `json:"weighted_head"`
	} `json:"args"`
	Embed       int              `json:"mixing_embed_dim"`
	Hyper       int              `json:"hypernet_embed"`
	Weights     map[string]array `json:"weights"`
	Q           array            `json:"agent_qs"`
	Top         array            `json:"max_q_i"`
	States      array            `json:"states"`
	Actions     array            `json:"actions"`
	QTot        array            `json:"q_tot"`
	LossWeights array            `json:"loss_weights"`
	Grads       map[string]array `json:"grads"`
	GradQ       array            `json:"grad_agent_qs"`
}

func TestRecordedMixers(t *testing.T) {
	var plain struct {
		Mixers map[string]recordedMixer `json:"mixers"`
	}
	readFixture(t, "nets_agent_mixers", &plain)
	var duplex struct {
		Cases map[string]jsonCase `json:"cases"`
	}
	readFixture(t, "nets_qplex", &duplex)
	for _, name := range []string{"vdn", "qmix_2layer", "qmix_1layer"} {
		m := plain.Mixers[name]
		c := qmix.Config{Embed: m.Embed, Hyper: max(1, m.Hyper), Layers: 2}
		if name == "qmix_1layer" {
			c.Layers = 1
		}
		plan := c.Mixer
		if name == "vdn" {
			plan = vdn.Mixer
		}
		t.Run(name, func(t *testing.T) { checkMixer(t, &m, plan, m.spec(), "wf") })
	}
	for _, name := range []string{"layers1_kernel4_weighted", "layers3_kernel2_weighted", "layers2_kernel3_unweighted", "layers1_kernel2_no_minus_one"} {
		var m recordedMixer
		duplex.Cases[name].decode(t, &m)
		a := m.Args
		c := qplex.Config{Hyper: a.Hyper, Kernels: a.Kernels, AdvLayers: a.Layers, AdvEmbed: a.AdvEmbed, Weighted: a.Weighted, MinusOne: a.MinusOne}
		t.Run(name, func(t *testing.T) { checkMixer(t, &m, c.Mixer, m.spec(), "w") })
	}
	for name, r := range readEntities(t) {
		m := r.Mixer
		m.Weights, m.Grads = prefixed("mixer_", m.Weights), prefixed("mixer_", m.Grads)
		c := qmix.Config{Embed: 5, Weights: "shared", Entity: qlearn.EntityConfig{Embed: 6, Attn: 4}}
		t.Run(name, func(t *testing.T) { checkMixer(t, &m, c.Mixer, r.Dims.spec(1), "wf") })
	}
}

// spec is a task that the mixer suits.
func (m *recordedMixer) spec() core.EnvSpec {
	return core.EnvSpec{Agents: m.Q.shape[2], Actions: max(1, m.Args.A), ObsWidth: 1, StateWidth: m.States.shape[2], Limit: 1}
}

func checkMixer(t *testing.T, m *recordedMixer, plan qlearn.NewMixer, spec core.EnvSpec, final string) {
	rows := m.Q.shape[0] * m.Q.shape[1]
	b, err := qlearntest.NewBench(plan, spec, rows)
	must(t, err)
	fill(t, b.Net.Params, b.Net.Tensors(), weights(m.Weights, final))
	copy(b.Q, m.Q.float32s())
	copy(b.State, m.States.float32s())
	copy(b.Weight, m.LossWeights.float32s())
	if m.Top.data != nil {
		copy(b.Top, m.Top.float32s())
		for r, a := range m.Actions.data {
			b.Joint[r*spec.Actions+int(a)] = 1
		}
	}
	qlearntest.MustRun(t, b)
	check := func(what string, got []float32, want []float64) {
		t.Helper()
		if d := worst(got, want); d > tolerance {
			t.Errorf("%s: relative difference %.1e", what, d)
		}
	}
	check("Q_tot", b.QTot, m.QTot.data)
	check("gradient of the values", b.QGrad, m.GradQ.data)
	var grads []core.Weight
	for name, g := range m.Grads {
		if g.data != nil {
			grads = append(grads, core.Weight{Name: rename(name, final), Shape: g.shape, Data: g.float32s()})
		}
	}
	checkGrads(t, grads, func(w core.Weight) []float32 {
		x, err := b.Net.Tensor(w.Name)
		must(t, err)
		return x.Range.Of(b.Net.Grads)
	})
	if len(grads) != len(b.Net.Tensors()) {
		t.Errorf("compared %d gradients of %d", len(grads), len(b.Net.Tensors()))
	}
}

// recordedAgent is the agent network along a padded batch, and one step of it
// with several heads.
type recordedAgent struct {
	Agent struct {
		Batch   recordedBatch    `json:"batch"`
		Weights map[string]array `json:"weights"`
		Hidden  array            `json:"hidden"`
		Q       array            `json:"q"`
	} `json:"agent_rnn"`
	Heads struct {
		Inputs  array                       `json:"inputs"`
		Hidden  array                       `json:"hidden_in"`
		Live    map[string]array            `json:"current_head"`
		Saved   map[string]map[string]array `json:"task2head"`
		Feature map[string]array            `json:"feature_layer"`
		Cases   []struct {
			Q       array  `json:"q"`
			Feature array  `json:"feature"`
			Mode    string `json:"mode"`
		} `json:"cases"`
	} `json:"heads"`
}

func TestRecordedAgent(t *testing.T) {
	var r recordedAgent
	readFixture(t, "nets_agent_mixers", &r)
	l := recordedLearner(t, r.Agent.Weights, r.Agent.Batch.spec(), vdn.Mixer)
	must(t, l.SetWeights(weights(r.Agent.Weights, "")))
	spec, records := r.Agent.Batch.spec(), r.Agent.Q.shape[1]
	nA, h := spec.Agents*spec.Actions, l.HiddenWidth()
	for b, e := range r.Agent.Batch.episodes() {
		step := newActStep(l, spec, 1)
		for u := range e.T + 1 {
			step.Obs = e.Obs[u*spec.Agents*spec.ObsWidth : (u+1)*spec.Agents*spec.ObsWidth]
			if u > 0 {
				copy(step.LastActions, e.Actions[(u-1)*spec.Agents:])
			}
			must(t, l.Act(step))
			q := r.Agent.Q.data[(b*records+u)*nA:][:nA]
			hidden := r.Agent.Hidden.data[(u*r.Agent.Q.shape[0]+b)*spec.Agents*h:][:spec.Agents*h]
			if d := max(worst(step.Q, unmask(q, step.Q)), worst(step.Hidden, hidden)); d > tolerance {
				t.Errorf("episode %d, record %d: relative difference %.1e", b, u, d)
			}
		}
	}
}

// The recorded modes act with the live head, with the saved head of task b, or
// with heads by agent.
func TestRecordedHeads(t *testing.T) {
	var r recordedAgent
	readFixture(t, "nets_agent_mixers", &r)
	l := recordedLearner(t, r.Agent.Weights, r.Agent.Batch.spec(), vdn.Mixer)
	spec := r.Agent.Batch.spec()
	head := func(of map[string]array) (ws []core.Weight) {
		for name, a := range of {
			ws = append(ws, core.Weight{Name: rename("head."+name, ""), Shape: a.shape, Data: a.float32s()})
		}
		return ws
	}
	must(t, l.SetWeights(weights(r.Heads.Feature, "")))
	for _, task := range []string{"task_a", "task_b", "task_c"} {
		must(t, l.SetWeights(head(r.Heads.Saved[task])))
		newHead(t, l, core.HeadCopy)
	}
	must(t, l.SetWeights(head(r.Heads.Live)))
	heads := [][]int32{nil, {1, 1}, nil, {2, 2}, {0, 2}}
	for i, c := range r.Heads.Cases {
		step := newActStep(l, spec, 1)
		step.Heads, step.Hidden = heads[i], r.Heads.Hidden.float32s()
		for a := range spec.Agents {
			in := r.Heads.Inputs.float32s()[a*r.Heads.Inputs.shape[1]:]
			copy(step.Obs[a*spec.ObsWidth:], in[:spec.ObsWidth])
			step.LastActions[a] = int32(slices.Index(in[spec.ObsWidth:spec.ObsWidth+spec.Actions], 1))
			if in[spec.ObsWidth+spec.Actions+a] != 1 {
				t.Fatal("the recorded ids are not those of the rows")
			}
		}
		must(t, l.Act(step))
		if d := max(worst(step.Q, c.Q.data), worst(step.Hidden, c.Feature.data)); d > tolerance {
			t.Errorf("case %d (%s): relative difference %.1e", i, c.Mode, d)
		}
	}
}
