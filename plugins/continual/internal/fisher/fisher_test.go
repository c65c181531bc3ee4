package fisher

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/episode"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/core/safetensors"
	"macpro/plugins/learners/vdn"
)

// setting is a learner, a buffer with episodes and a protection.
type setting struct {
	*Protection
	t       testing.TB
	learner *qlearn.Learner
	ring    *episode.Ring
	record  conform.Record
	eps     []*episode.Episode
}

var spec = qlearntest.Spec(2)

func with(t testing.TB, changes ...any) *setting {
	t.Helper()
	s, err := qlearntest.Settings(core.Settings{
		"mlp_hidden": 8, "mlp_layers": 2, "rnn_hidden_dim": 6, "lr": 0.01, "log_interval": 100,
		"ewc_lambda": 10.0, "ewc_mode": online, "ewc_gamma": 1.0, "fisher_episodes": 64,
		"fisher_source": "td_loss", "ewc_fisher_norm": normMean, "ewc_fisher_clip": 0.0,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(changes); i += 2 {
		s[changes[i].(string)] = changes[i+1]
	}
	x := &setting{t: t, ring: episode.NewRing(64), eps: qlearntest.Episodes(rng.New(3).Stream(), spec, 12)}
	x.learner, err = qlearn.New(s, spec, core.LearnerOptions{Source: rng.New(7), Threads: 1}, vdn.Mixer)
	if err != nil {
		t.Fatal(err)
	}
	scope := core.ScopeAgent
	if v, ok := s["scope"]; ok {
		scope = v.(core.Scope)
	}
	x.Protection, err = New(s, scope, core.Services{Learner: x.learner, Journal: &x.record, Source: rng.New(1)})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range x.eps {
		x.ring.Insert(e)
	}
	return x
}

func (x *setting) endTask() {
	x.t.Helper()
	if err := x.EndTask(x.ring, "small", core.Progress{}); err != nil {
		x.t.Fatal(err)
	}
}

func (x *setting) train() core.TrainStats {
	x.t.Helper()
	st, err := x.learner.Train(x.eps)
	if err != nil {
		x.t.Fatal(err)
	}
	return st
}

// zeroTD makes every TD error zero: all parameters are 0, so are all values and
// the rewards.
func (x *setting) zeroTD() {
	x.t.Helper()
	ws := x.learner.Weights()
	for i := range ws {
		clear(ws[i].Data)
	}
	if err := x.learner.SetWeights(ws); err != nil {
		x.t.Fatal(err)
	}
	x.learner.SyncTarget()
	x.ring.Clear()
	for _, e := range x.eps {
		clear(e.Reward)
		x.ring.Insert(e)
	}
}

func mean(f []float32) float64 {
	sum := 0.0
	for _, x := range f {
		sum += float64(x)
	}
	return sum / float64(len(f))
}

// In the first task there is no penalty; after its end it is exactly 0 at the
// anchor and positive elsewhere.
func TestPenaltyIsZeroInTheFirstTaskAndAtTheAnchor(t *testing.T) {
	for _, mode := range []string{online, separate, last} {
		for _, scope := range []core.Scope{core.ScopeAgent, core.ScopeFeatures} {
			x := with(t, "ewc_mode", mode, "scope", scope)
			free := with(t)
			for range 3 {
				if st := x.train(); st.Penalty != 0 {
					t.Errorf("%s: penalty %v in the first task", mode, st.Penalty)
				}
				free.train()
			}
			x.endTask()
			a, b := x.train(), free.train()
			if a.Penalty != 0 || a.GradNorm != b.GradNorm {
				t.Errorf("%s: at the anchor the penalty is %v, the gradient %v and without it %v", mode, a.Penalty, a.GradNorm, b.GradNorm)
			}
			if st := x.train(); !(st.Penalty > 0) {
				t.Errorf("%s: away from the anchor the penalty is %v", mode, st.Penalty)
			}
		}
	}
}

// After two tasks online has the sum of both importances and the later anchor,
// separate both pairs, last the second pair.
func TestModes(t *testing.T) {
	kept := map[string][]term{}
	for _, mode := range []string{separate, online, last} {
		x := with(t, "ewc_mode", mode, "ewc_gamma", 0.5)
		x.endTask()
		x.train()
		x.ring.Clear()
		for _, e := range x.eps[:7] {
			x.ring.Insert(e)
		}
		x.endTask()
		kept[mode] = x.terms
	}
	one, two := kept[separate][0], kept[separate][1]
	sum := slices.Clone(two.importance)
	for j, f := range one.importance {
		sum[j] += 0.5 * f
	}
	if len(kept[online]) != 1 || !slices.Equal(kept[online][0].importance, sum) || !slices.Equal(kept[online][0].anchor, two.anchor) {
		t.Error("online does not keep gamma F1 + F2 and the second anchor")
	}
	if len(kept[last]) != 1 || !slices.Equal(kept[last][0].importance, two.importance) || !slices.Equal(kept[last][0].anchor, two.anchor) {
		t.Error("last does not keep the second pair alone")
	}
	if slices.Equal(one.importance, two.importance) || slices.Equal(one.anchor, two.anchor) {
		t.Error("both tasks have left the same")
	}
}

// The penalty of the learner is the sum of (lambda/2) F d^2 over the terms.
func TestPenaltyIsTheSumOfTerms(t *testing.T) {
	for _, mode := range []string{online, separate} {
		x := with(t, "ewc_mode", mode)
		x.endTask()
		x.train()
		x.endTask()
		x.train()
		x.train()
		theta := x.learner.Parameters(core.ScopeAgent, nil)
		want := 0.0
		for _, k := range x.terms {
			for j, f := range k.importance {
				d := float64(theta[j]) - float64(k.anchor[j])
				want += 10.0 / 2 * float64(f) * d * d
			}
		}
		if got := x.train().Penalty; math.Abs(got-want) > 1e-5*want {
			t.Errorf("%s: penalty %v, want %v", mode, got, want)
		}
	}
}

// Without TD errors the importance is 0, and normalising leaves it at 0. The
// gradient of Q_tot itself does not vanish.
func TestNoErrorsNoImportance(t *testing.T) {
	x := with(t)
	x.zeroTD()
	x.endTask()
	if f := x.terms[0].importance; slices.ContainsFunc(f, func(v float32) bool { return v != 0 }) {
		t.Error("an importance without TD errors is not 0 everywhere")
	}
	if row := x.record.Rows[0]; !strings.Contains(row, `"zeros":1`) {
		t.Errorf("the row does not say that all are zero: %s", row)
	}
	q := with(t, "fisher_source", "q_grad")
	q.zeroTD()
	q.endTask()
	if f := q.terms[0].importance; math.Abs(mean(f)-1) > 1e-4 {
		t.Errorf("the importance of Q_tot has a mean of %v", mean(f))
	}
}

// A data set twice over gives the same importance.
func TestDuplicatesChangeNothing(t *testing.T) {
	one, two := with(t, "ewc_fisher_norm", "none"), with(t, "ewc_fisher_norm", "none")
	for _, e := range two.eps {
		two.ring.Insert(e)
	}
	one.endTask()
	two.endTask()
	for j, f := range one.terms[0].importance {
		if g := two.terms[0].importance[j]; math.Abs(float64(f-g)) > 1e-5*float64(f) {
			t.Fatalf("parameter %d: %v and twice over %v", j, f, g)
		}
	}
}

// Two episodes with opposite gradients matter as much as each of them: squares
// are taken before the mean.
func TestSquaresOfSingleEpisodes(t *testing.T) {
	x := with(t, "ewc_fisher_norm", "none")
	x.zeroTD()
	x.ring.Clear()
	opposite := x.eps[:2]
	for i, e := range opposite {
		*e = *x.eps[0]
		e.Reward = make([]float32, e.T)
		e.Reward[e.T-1] = float32(1 - 2*i)
		e.Terminated = true
		x.ring.Insert(e)
	}
	st, err := x.learner.Train(opposite)
	if err != nil {
		t.Fatal(err)
	}
	y := with(t, "ewc_fisher_norm", "none")
	y.zeroTD()
	y.ring = x.ring
	y.endTask()
	if st.GradNorm > 1e-7 || mean(y.terms[0].importance) == 0 {
		t.Errorf("the mean gradient is %v, the importance %v: want 0 and more than 0", st.GradNorm, mean(y.terms[0].importance))
	}
}

func TestNormAndClip(t *testing.T) {
	raw, normed, clipped := with(t, "ewc_fisher_norm", "none"), with(t), with(t, "ewc_fisher_clip", 2.0)
	for _, x := range []*setting{raw, normed, clipped} {
		x.endTask()
	}
	a, b, c := raw.terms[0].importance, normed.terms[0].importance, clipped.terms[0].importance
	if math.Abs(mean(b)-1) > 1e-4 || math.Abs(mean(a)-1) < 0.1 {
		t.Errorf("means %v as estimated and %v normalised", mean(a), mean(b))
	}
	for j := range c {
		if c[j] != min(b[j], 2) {
			t.Fatalf("parameter %d: %v clipped to %v", j, b[j], c[j])
		}
	}
	if slices.Max(b) <= 2 {
		t.Error("nothing to clip")
	}
}

// fisher_episodes of the buffer are used, or all if there are fewer; none is
// an error.
func TestEpisodesOfTheBuffer(t *testing.T) {
	x := with(t, "fisher_episodes", 5)
	x.endTask()
	if !strings.Contains(x.record.Rows[0], `"episodes":5`) {
		t.Errorf("row %s", x.record.Rows[0])
	}
	x = with(t)
	x.endTask()
	if !strings.Contains(x.record.Rows[0], `"episodes":12`) {
		t.Errorf("row %s", x.record.Rows[0])
	}
	x.ring.Clear()
	if err := x.EndTask(x.ring, "small", core.Progress{}); err == nil || !strings.Contains(err.Error(), "no episodes of task small") {
		t.Errorf("an empty buffer: %v", err)
	}
}

// The drift is told every log_interval transitions and at the task's end.
func TestDriftIsTold(t *testing.T) {
	x := with(t)
	trained := func(at int64) {
		if err := x.Trained("small", core.Progress{TEnv: at}); err != nil {
			t.Fatal(err)
		}
	}
	trained(500)
	x.endTask()
	if len(x.record.Rows) != 1 || strings.Contains(x.record.Rows[0], "drift") {
		t.Errorf("a drift before there is an anchor: %v", x.record.Rows)
	}
	x.train()
	for at := int64(0); at <= 250; at += 50 {
		trained(at)
	}
	x.endTask()
	if n := len(x.record.Rows); n != 4 {
		t.Fatalf("%d rows, want the ends of two tasks and a drift at 100 and 200: %v", n, x.record.Rows)
	}
	for _, row := range x.record.Rows[1:] {
		if !strings.Contains(row, `"drift":`) || strings.Contains(row, `"drift":0,`) {
			t.Errorf("no drift in %s", row)
		}
	}
}

// What was saved protects a new learner the same way, and damage is an error.
func TestSaveAndLoad(t *testing.T) {
	x := with(t, "ewc_mode", separate)
	x.endTask()
	x.train()
	x.endTask()
	f := safetensors.New()
	x.Put(f)
	var weights bytes.Buffer
	if err := x.learner.Save(&weights); err != nil {
		t.Fatal(err)
	}
	y := with(t, "ewc_mode", separate)
	if err := y.learner.Load(io.Reader(&weights)); err != nil {
		t.Fatal(err)
	}
	if err := y.Get(f); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if a, b := x.train(), y.train(); a != b {
			t.Fatalf("%+v\n%+v", a, b)
		}
		x.endTask()
		y.endTask()
	}
	bad := safetensors.New()
	safetensors.Put(bad, "fisher", []int64{1 << 40, 0})
	if err := y.Get(bad); err == nil || !strings.Contains(err.Error(), "protected tasks") {
		t.Errorf("an impossible number of tasks: %v", err)
	}
}
