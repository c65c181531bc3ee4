package qlearn_test

import (
	"fmt"
	"testing"

	"macpro/core"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/plugins/learners/qmix"
	"macpro/plugins/learners/qplex"
	"macpro/plugins/learners/vdn"
)

// recordedTD is two gradient steps of the reference learner on one batch.
type recordedTD struct {
	Batch       recordedBatch    `json:"batch"`
	Agent       map[string]array `json:"agent"`
	Mixer       map[string]array `json:"mixer_weights"`
	TargetAgent map[string]array `json:"target_agent"`
	TargetMixer map[string]array `json:"target_mixer_weights"`
	Anchor      map[string]array `json:"reg_snapshot"`
	Args        struct {
		RNN   int `json:"rnn_hidden_dim"`
		Embed int `json:"mixing_embed_dim"`
		Hyper int `json:"hypernet_embed"`
	} `json:"args"`
	MixerArgs struct {
		Hyper    int  `json:"hypernet_embed"`
		AdvEmbed int  `json:"adv_hypernet_embed"`
		Layers   int  `json:"adv_hypernet_layers"`
		Kernels  int  `json:"num_kernel"`
		MinusOne bool `json:"is_minus_one"`
		Weighted bool `json:"weighted_head"`
	} `json:"mixer_args"`
	Steps []struct {
		QTot       array            `json:"chosen_q_tot"`
		TargetQTot array            `json:"target_q_tot"`
		V          array            `json:"chosen_v"`
		Adv        array            `json:"chosen_adv"`
		TargetV    array            `json:"target_v"`
		TargetAdv  array            `json:"target_adv"`
		ChosenQ    array            `json:"chosen_agent_q"`
		TargetQ    array            `json:"target_agent_q"`
		Targets    array            `json:"targets"`
		Mask       array            `json:"mask"`
		TDLoss     float64          `json:"td_loss"`
		ForgetLoss *float64         `json:"forget_loss"`
		GradNorm   float64          `json:"grad_norm"`
		GradsAgent map[string]array `json:"grads_agent"`
		GradsMixer map[string]array `json:"grads_mixer"`
		AgentAfter map[string]array `json:"agent_after"`
		MixerAfter map[string]array `json:"mixer_after"`
	} `json:"steps"`
	MacOut       array `json:"mac_out"`
	TargetMacOut array `json:"target_mac_out"`
}

// tolerance of quantities that the reference computed in float64 and we in
// float32, relative to the largest magnitude of a tensor.
const tolerance = 1e-5

func TestRecordedSteps(t *testing.T) {
	plain := func(r *recordedTD) qlearn.NewMixer { return vdn.Mixer }
	monotonic := func(r *recordedTD) qlearn.NewMixer {
		return qmix.Config{Embed: r.Args.Embed, Hyper: r.Args.Hyper, Layers: 2}.Mixer
	}
	duplex := func(r *recordedTD) qlearn.NewMixer {
		a := r.MixerArgs
		return qplex.Config{Hyper: a.Hyper, Kernels: a.Kernels, AdvLayers: a.Layers, AdvEmbed: a.AdvEmbed,
			Weighted: a.Weighted, MinusOne: a.MinusOne}.Mixer
	}
	for _, c := range []struct {
		file, name, final string
		mixer             func(*recordedTD) qlearn.NewMixer
	}{
		{"nets_td_vdn", "noreg", "", plain},
		{"nets_td_qmix", "noclip_noreg", "wf", monotonic},
		{"nets_td_qmix", "reg", "wf", monotonic},
		{"nets_td_qmix", "clip", "wf", monotonic},
		{"nets_td_qplex", "layers1", "w", duplex},
		{"nets_td_qplex", "layers3", "w", duplex},
		{"nets_td_qplex", "clip", "w", duplex},
	} {
		t.Run(c.file+"/"+c.name, func(t *testing.T) {
			var file map[string]jsonCase
			readFixture(t, c.file, &file)
			var r recordedTD
			file[c.name].decode(t, &r)
			checkSteps(t, &r, recordedLearner(t, r.Agent, r.Batch.spec(), c.mixer(&r)), c.final)
		})
	}
}

// One step of the reference on a batch of entities, with attention in agents and
// mixer.
func TestRecordedEntityStep(t *testing.T) {
	var file map[string]jsonCase
	readFixture(t, "nets_td_attn", &file)
	var r recordedTD
	file["reg"].decode(t, &r)
	r.Mixer, r.TargetMixer, r.Anchor = prefixed("mixer_", r.Mixer), prefixed("mixer_", r.TargetMixer), prefixed("feature_layer.", r.Anchor)
	for i := range r.Steps {
		s := &r.Steps[i]
		s.GradsMixer, s.MixerAfter = prefixed("mixer_", s.GradsMixer), prefixed("mixer_", s.MixerAfter)
	}
	s, _ := entityConfig(t, 6, 6, 4)
	spec := readEntities(t)["marines_3v4"].Dims.spec(r.Batch.spec().Limit)
	c := qmix.Config{Embed: 5, Weights: "shared", Entity: qlearn.EntityConfig{Embed: 6, Attn: 4}}
	l, err := qlearn.New(s, spec, core.LearnerOptions{Source: rng.New(1), Threads: 2}, c.Mixer)
	must(t, err)
	countCut(t, &r, 2, c.Mixer, spec)
	checkSteps(t, &r, l, "wf")
}

// countCut makes a transition of the last record of an episode that was cut: in
// the reference such a record counts, with a target from beyond the end, where
// all is zero and no action available, so that every agent has the value that
// masks actions. Our learner has no such transition. It is given the target that
// our mixer makes of these values, as the reward of an episode that ends there.
func countCut(t *testing.T, r *recordedTD, episode int, plan qlearn.NewMixer, spec core.EnvSpec) {
	t.Helper()
	bench, err := qlearntest.NewBench(plan, spec, 1)
	must(t, err)
	fill(t, bench.Net.Params, bench.Net.Tensors(), weights(r.TargetMixer, "wf"))
	for i := range bench.Q {
		bench.Q[i] = -9999999
	}
	qlearntest.MustRun(t, bench)
	b, s := &r.Batch, &r.Steps[0]
	records := b.Obs.shape[1]
	last := records - 2
	beyond := &s.TargetQTot.data[episode*(records-1)+last]
	if d := worst(bench.QTot, []float64{*beyond}); d > tolerance {
		t.Errorf("target Q_tot beyond the end: relative difference %.1e", d)
	}
	b.Filled.data[episode*records+records-1] = 1
	b.Terminated.data[episode*records+last] = 1
	b.Reward.data[episode*records+last] = 0.99 * float64(bench.QTot[0])
	*beyond = -1e7 // was compared here: the learner does not compute it
}

func checkSteps(t *testing.T, r *recordedTD, l *qlearn.Learner, final string) {
	load := func(agent, mixer map[string]array) {
		t.Helper()
		if err := l.SetWeights(append(weights(agent, final), weights(mixer, final)...)); err != nil {
			t.Fatal(err)
		}
	}
	load(r.TargetAgent, r.TargetMixer)
	l.SyncTarget()
	load(r.Agent, r.Mixer)
	if r.Anchor != nil {
		if err := l.SetPenalties([]core.Penalty{{Scope: core.ScopeFeatures, Anchor: anchorOf(l, r, final), Coef: 500}}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, got []float32, want []float64, tol float64) {
		t.Helper()
		d := worst(got, want)
		t.Logf("%-40s %.1e", what, d)
		if d > tol {
			t.Errorf("%s: relative difference %.2e, want at most %.0e", what, d, tol)
		}
	}
	eps := r.Batch.episodes()
	for i, s := range r.Steps {
		st, err := l.Train(eps)
		if err != nil {
			t.Fatal(err)
		}
		name := func(what string) string { return fmt.Sprintf("step %d: %s", i, what) }
		scalar := func(what string, got, want float64) {
			t.Helper()
			check(name(what), []float32{float32(got)}, []float64{want}, tolerance)
		}
		scalar("TD loss", st.TDLoss, s.TDLoss)
		scalar("gradient norm", st.GradNorm, s.GradNorm)
		if s.ForgetLoss != nil {
			scalar("penalty", st.Penalty/500, *s.ForgetLoss)
			scalar("loss", st.Loss, s.TDLoss+500**s.ForgetLoss)
		}
		checkTransitions(t, l, r, i, func(what string, got []float32, want []float64) { check(name(what), got, want, tolerance) })
		for _, w := range append(weights(s.GradsAgent, final), weights(s.GradsMixer, final)...) {
			g := qlearn.MustFind(l.Gradients(), w.Name).Data
			unclipped := make([]float32, len(g))
			for j := range g {
				unclipped[j] = g[j] / float32(st.Clip)
			}
			check(name("gradient of "+w.Name), unclipped, float64s(w.Data), tolerance)
		}
		for _, w := range append(weights(s.AgentAfter, final), weights(s.MixerAfter, final)...) {
			check(name(w.Name+" after"), qlearn.MustFind(l.Weights(), w.Name).Data, float64s(w.Data), tolerance)
		}
	}
}

func float64s(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// anchorOf is the recorded anchor in the order of the features' parameters.
func anchorOf(l *qlearn.Learner, r *recordedTD, final string) []float32 {
	var flat []float32
	recorded := weights(r.Anchor, final)
	for _, w := range l.Weights() {
		for _, a := range recorded {
			if a.Name == w.Name {
				flat = append(flat, a.Data...)
			}
		}
	}
	return flat
}

// checkTransitions compares the values of every transition with the recorded
// ones, which are padded.
func checkTransitions(t *testing.T, l *qlearn.Learner, r *recordedTD, step int, check func(string, []float32, []float64)) {
	s, limit := &r.Steps[step], r.Batch.spec().Limit
	n := r.Batch.spec().Agents
	nA := n * r.Batch.spec().Actions
	pick := func(a array, width, records, e, t int) []float64 {
		if a.data == nil {
			return nil
		}
		lo := (e*records + t) * width
		return a.data[lo : lo+width]
	}
	sum := func(a, b array, e, t int) []float64 {
		return []float64{pick(a, 1, limit, e, t)[0] + pick(b, 1, limit, e, t)[0]}
	}
	var got, want struct{ tot, next, target, q, qNext, values, targetValues []float32 }
	_ = want
	var wTot, wNext, wTarget, wQ, wQNext, wValues, wTargetValues []float64
	values := func(e, at int, avail []uint8, online, target []float32) {
		wValues = append(wValues, available(pick(r.MacOut, nA, limit+1, e, at), avail)...)
		wTargetValues = append(wTargetValues, available(pick(r.TargetMacOut, nA, limit+1, e, at), avail)...)
		got.values, got.targetValues = append(got.values, available(online, avail)...), append(got.targetValues, available(target, avail)...)
	}
	masked := 0.0
	for _, m := range s.Mask.data {
		masked += m
	}
	steps := l.LastStep()
	if float64(len(steps)) != masked {
		t.Errorf("%d transitions, recorded mask sum %v", len(steps), masked)
	}
	for _, k := range steps {
		e := int(k.Episode)
		if pick(s.Mask, 1, limit, e, k.T)[0] == 0 {
			t.Errorf("transition %d of episode %d is masked out in the recording", k.T, e)
		}
		got.tot, got.next, got.target = append(got.tot, k.QTot), append(got.next, k.NextQTot), append(got.target, k.Target)
		got.q, got.qNext = append(got.q, k.Chosen...), append(got.qNext, k.Next...)
		if s.V.data != nil {
			wTot = append(wTot, sum(s.V, s.Adv, e, k.T)...)
			wNext = append(wNext, sum(s.TargetV, s.TargetAdv, e, k.T)...)
		} else {
			wTot = append(wTot, pick(s.QTot, 1, limit, e, k.T)...)
			wNext = append(wNext, pick(s.TargetQTot, 1, limit, e, k.T)...)
		}
		wTarget = append(wTarget, pick(s.Targets, 1, limit, e, k.T)...)
		if s.ChosenQ.data != nil {
			wQ = append(wQ, pick(s.ChosenQ, n, limit, e, k.T)...)
			wQNext = append(wQNext, pick(s.TargetQ, n, limit, e, k.T)...)
		}
		if step == 0 && r.MacOut.data != nil {
			values(e, k.T, k.Avail, k.Values, k.ValuesOfTarget)
		}
	}
	check("Q_tot", got.tot, wTot)
	check("target Q_tot", got.next, unmask(wNext, got.next))
	check("targets", got.target, wTarget)
	if wQ != nil {
		check("chosen values", got.q, wQ)
		check("target values of greedy actions", got.qNext, unmask(wQNext, got.qNext))
	}
	if wValues != nil {
		for _, k := range l.LastRecords() {
			e := int(k.Episode)
			values(e, k.T, k.Avail, k.Values, k.ValuesOfTarget)
		}
		check("values of available actions", got.values, wValues)
		check("target values of available actions", got.targetValues, wTargetValues)
	}
}

// unmask puts our value where the recording has the value of an unavailable
// action.
func unmask(want []float64, got []float32) []float64 {
	for i, w := range want {
		if w < -9e6 {
			want[i] = float64(got[i])
		}
	}
	return want
}

// recordedLearner makes a learner with the recorded sizes.
func recordedLearner(t *testing.T, agent map[string]array, spec core.EnvSpec, mixer qlearn.NewMixer) *qlearn.Learner {
	t.Helper()
	hidden := len(agent["feature_layer.fc5.bias"].data)
	s, err := qlearntest.Compat("official", "lbf", core.Info{}, core.Settings{
		"mlp_hidden": 2 * hidden, "rnn_hidden_dim": hidden,
		"bootstrap_on_timeout": true, // an episode of the recorded batch has no end, as no environment's has
	})
	must(t, err)
	l, err := qlearn.New(s, spec, core.LearnerOptions{Source: rng.New(1), Threads: 2}, mixer)
	must(t, err)
	return l
}
