package sdk_test

import (
	"bytes"
	"math"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/core/safetensors"
	"macpro/plugins/learners/qmix"
)

// handOver gives a learner in Python the weights of another one.
func handOver(t *testing.T, from, to core.Learner) {
	t.Helper()
	w := from.Parameters(core.ScopeAll, nil)
	if n := len(to.Parameters(core.ScopeAll, nil)); n != len(w) {
		t.Fatalf("%d parameters for a learner of %d", len(w), n)
	}
	f := safetensors.New()
	safetensors.Put(f, "online", w)
	safetensors.Put(f, "target", w)
	safetensors.Put(f, "square", make([]float32, len(w)))
	safetensors.Put(f, "heads", []float32{}, 0, 0)
	safetensors.Put(f, "init", rng.New(1).Stream().AppendState(nil))
	var b bytes.Buffer
	if err := f.Encode(&b); err != nil {
		t.Fatal(err)
	}
	if err := to.Load(&b); err != nil {
		t.Fatal(err)
	}
}

// apart is the largest distance of two vectors.
func apart(a, b []float32) (most float64) {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i, x := range a {
		most = max(most, math.Abs(float64(x)-float64(b[i])))
	}
	return most
}

// firstValues are the action values at the first record of an episode.
func firstValues(t *testing.T, l core.Learner, e *episode.Episode) []float32 {
	t.Helper()
	s := core.ActStep{
		Lanes: 1, Obs: e.Obs[:e.N*e.ObsWidth], LastActions: make([]int32, e.N),
		Hidden: make([]float32, e.N*l.HiddenWidth()), Q: make([]float32, e.N*e.A),
	}
	for i := range s.LastActions {
		s.LastActions[i] = int32(i) - 1
	}
	if err := l.Act(&s); err != nil {
		t.Fatal(err)
	}
	return append(s.Q, s.Hidden...)
}

// seen is what a learner shows around one step.
type seen struct{ values, importance, stats, parameters []float32 }

// step makes gradient step number k; a penalty and a new target come in between.
func step(t *testing.T, l core.Learner, k int) (x seen) {
	t.Helper()
	eps := qlearntest.Episodes(rng.New(uint64(k)).Stream(), qlearntest.Spec(3), 6)
	x.values = firstValues(t, l, eps[0])
	if k == 2 {
		l.SyncTarget()
		anchor := make([]float32, len(l.Parameters(core.ScopeFeatures, nil)))
		if err := l.SetPenalties([]core.Penalty{{Scope: core.ScopeFeatures, Anchor: anchor, Coef: 0.1}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, src := range []core.ImportanceSource{core.ImportanceTDLoss, core.ImportanceQGrad, core.ImportanceValues} {
		f, err := l.Importance(eps, src)
		if err != nil {
			t.Fatal(err)
		}
		x.importance = append(x.importance, f...)
	}
	st, err := l.Train(eps)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []float64{st.Loss, st.TDLoss, st.Penalty, st.TDAbs, st.QTaken, st.Target, st.GradNorm, st.Clip} {
		x.stats = append(x.stats, float32(v))
	}
	x.parameters = l.Parameters(core.ScopeAll, nil)
	return x
}

// QMIX in PyTorch acts like the built-in learner and makes its gradient steps,
// within 1e-5, from the same weights on the same batches.
func TestTorchStepIsThatOfTheBuiltIn(t *testing.T) {
	const tolerance = 1e-5
	p := python[core.LearnerPlugin](t, example("torch_qmix"))
	for _, c := range []struct {
		name    string
		changes []any
	}{
		{"defaults", nil},
		{"one layer, longer returns", []any{"hypernet_layers", 1, "td_lambda", 0.6, "double_q", false, "bootstrap_on_timeout", true}},
		{"plain inputs, clipped", []any{"obs_last_action", false, "obs_agent_id", false, "feature_scale", 0.5, "grad_norm_clip", 0.1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := settings(t, []core.Info{qmix.Plugin{}.Info()}, c.changes...)
			var both [2]core.Learner
			for i, x := range []core.LearnerPlugin{qmix.Plugin{}, p} {
				l, err := x.New(s, qlearntest.Spec(3), core.LearnerOptions{Source: rng.New(uint64(i)), Threads: 1})
				if err != nil {
					t.Fatal(err)
				}
				both[i] = l
			}
			start := both[0].Parameters(core.ScopeAll, nil)
			handOver(t, both[0], both[1])
			for k := range 4 {
				here, there := step(t, both[0], k), step(t, both[1], k)
				for _, x := range []struct {
					what string
					a, b []float32
					size float64
				}{
					{"values and hidden states", here.values, there.values, 1},
					{"importances", here.importance, there.importance, apart(here.importance, make([]float32, len(here.importance)))},
					{"statistics", here.stats, there.stats, apart(here.stats, make([]float32, len(here.stats)))},
					{"parameters", here.parameters, there.parameters, 1},
				} {
					if d := apart(x.a, x.b); !(d <= tolerance*x.size) {
						t.Errorf("step %d: %s of at most %g are %g apart", k, x.what, x.size, d)
					}
				}
			}
			if d := apart(start, both[0].Parameters(core.ScopeAll, nil)); d < 100*tolerance {
				t.Errorf("four steps moved no parameter by more than %g", d)
			}
		})
	}
}
