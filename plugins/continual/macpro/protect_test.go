package macpro

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/episode"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/learners/qmix"
	"macpro/plugins/learners/vdn"
)

// little are the keys of short runs whose encoders cost next to nothing.
var little = []any{"steps_per_task", 60, "expansion", "always", "z_dim", 4, "enc_depth", 1, "enc_ff_mult", 2,
	"context_batch", 4, "kappa1", 40, "probe_nepisode", 2}

func TestConformanceOfProtection(t *testing.T) {
	for _, protect := range []string{protectMask, protectDistill} {
		t.Run(protect, func(t *testing.T) {
			t.Parallel()
			conform.MethodOn(t, methodtest.Subject(t, Plugin, vdn.Plugin{}, append(little, "protect", protect, "protect_batch", 3)...))
		})
		t.Run(protect+" of teams", func(t *testing.T) {
			t.Parallel()
			methodtest.Battles(t, Plugin, "expansion", "always", "z_dim", 4, "enc_depth", 1, "enc_ff_mult", 1,
				"context_batch", 2, "kappa1", 100, "protect", protect, "protect_batch", 2)
		})
	}
}

// Without their strength all ways are the same: nothing holds the features.
func TestNoProtection(t *testing.T) {
	learned := func(changes ...any) string {
		_, parts, _ := methodtest.Play(t, methodtest.Subject(t, Plugin, qmix.Plugin{}, append(changes, little...)...))
		return methodtest.Tensors(t, parts["learner"], "online.", "target.", "rms.", "head")
	}
	free := learned("alpha_reg", 0.0)
	for protect, strength := range map[string]string{protectPenalty: "alpha_reg", protectMask: "protect_share", protectDistill: "protect_coef"} {
		if learned("protect", protect, strength, 0.0) != free {
			t.Errorf("protect %s with %s 0 protects", protect, strength)
		}
		if learned("protect", protect, strength, 0.5) == free {
			t.Errorf("protect %s with %s 0.5 does nothing", protect, strength)
		}
	}
}

// protected is a method on a learner of qlearn, driven by hand.
type protected struct {
	*method
	t    *testing.T
	l    core.Learner
	s    core.Settings
	task int
	eps  []*episode.Episode // of the task in training
}

var toy = qlearntest.Spec(2)

func newProtected(t *testing.T, changes ...any) *protected {
	t.Helper()
	w := &protected{t: t, s: methodtest.Subject(t, Plugin, vdn.Plugin{}, append(append(little, "lr", 0.01, "batch_size", 4), changes...)...).Settings}
	w.make()
	return w
}

func (w *protected) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// make makes a new learner and a new method.
func (w *protected) make() {
	w.t.Helper()
	var err error
	w.l, err = (vdn.Plugin{}).New(w.s, toy, core.LearnerOptions{Source: rng.New(1), Threads: 1})
	w.must(err)
	m, err := Plugin.New(w.s, core.Services{Learner: w.l, Source: rng.New(2), Journal: &conform.Record{}, Threads: 1})
	w.must(err)
	w.method = m.(*method)
}

// resume puts a new learner and method in place of those that are saved.
func (w *protected) resume() {
	w.t.Helper()
	var l, m bytes.Buffer
	w.must(w.l.Save(&l))
	w.must(w.Save(&m))
	w.make()
	w.must(w.l.Load(&l))
	w.must(w.Load(&m))
}

// begin starts the next task, which has six episodes.
func (w *protected) begin() {
	w.t.Helper()
	w.must(w.BeginTask(core.Task{Index: w.task, Spec: toy}, core.Progress{}))
	w.eps = qlearntest.Episodes(rng.New(uint64(w.task)).Stream(), toy, 6)
	for _, e := range w.eps {
		e.Head = w.Head()
		w.must(w.Collected(e, core.Progress{}))
	}
	w.task++
}

// train makes steps and returns the statistics of the last.
func (w *protected) train(steps int) (st core.TrainStats) {
	w.t.Helper()
	for range steps {
		batch, err := w.NextBatch()
		w.must(err)
		st, err = w.l.Train(batch)
		w.must(err)
	}
	return st
}

func (w *protected) phi() []float32 { return w.l.Parameters(core.ScopeFeatures, nil) }

// The largest weights of every layer are fixed at a task's end. They never move
// again: not over 1,000 steps of the next task under a pull that somebody else has
// set, nor over resumes in their midst. The others go on from where they are.
func TestMaskedFeaturesNeverMove(t *testing.T) {
	w := newProtected(t, "protect", protectMask, "protect_share", 0.5)
	w.begin()
	w.train(20)
	w.must(w.EndTask(core.Progress{}))
	after, first := w.phi(), slices.Clone(w.protection.fixed.Of)
	at := 0
	for _, x := range core.AbilitiesOf(w.l).Exporter.Weights() {
		if at == len(after) {
			break
		}
		want, least, most := len(x.Data), math.Inf(1), 0.0
		if len(x.Shape) > 1 {
			want = (len(x.Data) + 1) / 2
		}
		for j, v := range x.Data {
			if first[at+j] != 0 {
				want, least = want-1, min(least, math.Abs(float64(v)))
			} else {
				most = max(most, math.Abs(float64(v)))
			}
		}
		if want != 0 || most > least {
			t.Errorf("%s: %d weights too few are fixed; the smallest of them is %v, the largest other %v", x.Name, want, least, most)
		}
		at += len(x.Data)
	}
	w.begin()
	if !slices.Equal(w.phi(), after) {
		t.Error("the end of a task changes the features")
	}
	w.must(w.l.SetPenalties([]core.Penalty{{Scope: core.ScopeFeatures, Anchor: make([]float32, len(after)), Coef: 1}}))
	for i := range 10 {
		w.train(100)
		moved := 0
		for j, x := range w.phi() {
			switch {
			case first[j] != 0 && x != after[j]:
				t.Fatalf("weight %d was fixed at %v and is %v", j, after[j], x)
			case x != after[j]:
				moved++
			}
		}
		if moved < len(after)/4 {
			t.Fatalf("%d of %d weights move", moved, len(after))
		}
		if i%4 == 1 {
			w.resume()
		}
	}
	w.must(w.EndTask(core.Progress{}))
	if a, b := w.protection.fixed.Free(), len(first)-sum(first); math.Abs(float64(2*a-b)) > 10 {
		t.Errorf("%d weights are free after the first task, %d after the second, want half", b, a)
	}
}

func sum(x []uint8) (n int) {
	for _, k := range x {
		n += int(k)
	}
	return n
}

// The loss of a step is the mean squared distance of a saved head's values to those
// that the features of the last task's end give with it, on trajectories of its
// group; the head does not move, and the head in training has no part in it.
func TestDistilledValues(t *testing.T) {
	w := newProtected(t, "protect", protectDistill, "protect_coef", 3.0, "protect_batch", 4)
	w.begin()
	own := w.eps
	if st := w.train(20); st.ValueLoss != 0 {
		t.Errorf("in the first task the loss is %v", st.ValueLoss)
	}
	w.must(w.EndTask(core.Progress{}))
	teacher, head := w.l.Parameters(core.ScopeAgent, nil), w.l.Parameters(core.ScopeHead, nil)
	w.begin()
	if st := w.train(1); st.ValueLoss > 1e-12 {
		t.Errorf("features that have not moved cost %v", st.ValueLoss)
	}
	w.train(5)
	w.resume()
	batch, err := w.NextBatch()
	w.must(err)
	held := batch[len(batch)-4:]
	values := core.AbilitiesOf(w.l).Valuer
	was, err := values.EpisodeValues(held, teacher)
	w.must(err)
	now, err := values.EpisodeValues(held, append(w.phi(), head...))
	w.must(err)
	loss, rows := 0.0, 0
	for i, e := range held {
		if e.Head != 0 || !slices.ContainsFunc(own, func(o *episode.Episode) bool { return slices.Equal(o.Obs, e.Obs) }) {
			t.Errorf("trajectory %d is not of the first group", i)
		}
		for r := range e.T * e.N {
			row, n := 0.0, 0.0
			for a := range e.A {
				if j := r*e.A + a; e.Avail[j] != 0 {
					row, n = row+math.Pow(float64(now[i][j]-was[i][j]), 2), n+1
				}
			}
			loss, rows = loss+row/n, rows+1
		}
	}
	st, err := w.l.Train(batch)
	w.must(err)
	if want := 3 * loss / float64(rows); want == 0 || math.Abs(st.ValueLoss-want) > 1e-4*want {
		t.Errorf("the loss is %v, by hand %v", st.ValueLoss, want)
	}
	w.must(w.l.LoadHead(0))
	if !slices.Equal(w.l.Parameters(core.ScopeHead, nil), head) {
		t.Error("the saved head has moved")
	}
	w.method.head = 0 // a later task joins the first group
	if batch, err = w.NextBatch(); err != nil || len(batch) != 4 {
		t.Errorf("a batch of %d for the head that is held, want 4 (%v)", len(batch), err)
	}
}

// With a large weight the values of the first head stay nearer to what they were.
func TestDistillationHoldsOldHeads(t *testing.T) {
	drift := func(coef float64) float64 {
		w := newProtected(t, "protect", protectDistill, "protect_coef", coef, "protect_batch", 6)
		w.begin()
		own := w.eps
		w.train(30)
		w.must(w.EndTask(core.Progress{}))
		head := w.l.Parameters(core.ScopeHead, nil)
		values := core.AbilitiesOf(w.l).Valuer
		was, err := values.EpisodeValues(own, nil)
		w.must(err)
		w.begin()
		w.train(100)
		now, err := values.EpisodeValues(own, append(w.phi(), head...))
		w.must(err)
		d := 0.0
		for i := range was {
			for j, x := range was[i] {
				d += math.Pow(float64(x-now[i][j]), 2)
			}
		}
		return d
	}
	if free, held := drift(0), drift(100); held > free/4 {
		t.Errorf("values moved by %v, without distillation by %v", held, free)
	}
}

// A way that the learner does not allow is refused before anything starts.
func TestProtectionNeedsAbilities(t *testing.T) {
	for protect, able := range map[string][]string{
		protectPenalty: nil,
		protectMask:    {core.AbilityExport, core.AbilityWeights},
		protectDistill: {core.AbilityGradients, core.AbilityValues},
	} {
		p := core.Pairing{Env: "mini", Learner: "plain", Method: "macpro", Settings: small(t, "protect", protect), Tasks: []core.EnvSpec{toy}}
		err := Plugin.Match(p)
		if len(able) == 0 && err != nil || len(able) > 0 && (err == nil || !strings.Contains(err.Error(), "protect "+protect) || !strings.Contains(err.Error(), able[1])) {
			t.Errorf("protect %s: %v", protect, err)
		}
		if p.Abilities = able; Plugin.Match(p) != nil {
			t.Errorf("protect %s with %v: %v", protect, able, Plugin.Match(p))
		}
	}
}
