package qlearn_test

import (
	"math"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
)

func importance(t *testing.T, l *qlearn.Learner, eps []*episode.Episode, src core.ImportanceSource) []float32 {
	t.Helper()
	f, err := l.Importance(eps, src)
	must(t, err)
	return f
}

// The importance is the mean of the squares of single-episode gradients, which
// are those of a step on a batch of that episode.
func TestImportanceIsTheMeanOfSquares(t *testing.T) {
	spec := qlearntest.Spec(2)
	eps := qlearntest.Episodes(rng.New(1).Stream(), spec, 7)
	l := learner(t, "qmix", spec, with("lr", 0.0, "grad_norm_clip", 0.0), 2)
	want := make([]float64, len(l.Parameters(core.ScopeAgent, nil)))
	for _, e := range eps {
		train(t, l, []*episode.Episode{e})
		j := 0
		for _, w := range l.Gradients() {
			for _, g := range w.Data {
				if j < len(want) {
					want[j] += float64(g) * float64(g) / float64(len(eps))
				}
				j++
			}
		}
	}
	if d := worst(importance(t, l, eps, core.ImportanceTDLoss), want); d > 1e-6 {
		t.Errorf("relative difference %.1e", d)
	}
}

// Two episodes with opposite gradients have no gradient together, but an
// importance each.
func TestOppositeGradientsDoNotCancel(t *testing.T) {
	spec := qlearntest.Spec(1)
	up := qlearntest.Episode(rng.New(2).Stream(), spec, 1, 0)
	up.Terminated = true
	down := *up
	down.Index = 1
	l := learner(t, "vdn", spec, with("lr", 0.0), 2)
	train(t, l, []*episode.Episode{up})
	q := l.LastStep()[0].QTot
	up.Reward, down.Reward = []float32{q + 1}, []float32{q - 1}
	together := train(t, l, []*episode.Episode{up, &down})
	f := importance(t, l, []*episode.Episode{up, &down}, core.ImportanceTDLoss)
	if together.GradNorm > 1e-5 || slices.Max(f) < 1e-3 {
		t.Errorf("gradient norm of both %v, largest importance %v", together.GradNorm, slices.Max(f))
	}
}

// With TD errors of zero the importance by TD loss is exactly zero and finite,
// the one by Q_tot is not.
func TestImportanceOfAPerfectFit(t *testing.T) {
	spec := qlearntest.Spec(2)
	e := qlearntest.Episode(rng.New(3).Stream(), spec, 1, 0)
	e.Terminated = true
	l := learner(t, "qmix", spec, with("lr", 0.0), 2)
	train(t, l, []*episode.Episode{e})
	e.Reward[0] = l.LastStep()[0].QTot
	for _, x := range importance(t, l, []*episode.Episode{e}, core.ImportanceTDLoss) {
		if x != 0 {
			t.Fatalf("importance %v of a perfect fit", x)
		}
	}
	if f := importance(t, l, []*episode.Episode{e}, core.ImportanceQGrad); slices.Max(f) == 0 {
		t.Error("the gradient of Q_tot vanishes with the TD error")
	}
}

// q_grad is the square of the derivative of Q_tot of the taken actions: for the
// bias of an action of the head of VDN, the number of times that the team takes
// it per transition.
func TestImportanceByQTot(t *testing.T) {
	spec := qlearntest.Spec(2)
	e := qlearntest.Episode(rng.New(4).Stream(), spec, 6, 0)
	l := learner(t, "vdn", spec, with(), 1)
	f := importance(t, l, []*episode.Episode{e}, core.ImportanceQGrad)
	bias := f[len(f)-spec.Actions:]
	for a, got := range bias {
		n := 0.0
		for _, taken := range e.Actions {
			if int(taken) == a {
				n++
			}
		}
		if want := (n / 6) * (n / 6); math.Abs(float64(got)-want) > 1e-6 {
			t.Errorf("action %d: importance %v, want %v", a, got, want)
		}
	}
}

// A data set twice over has the same importance; nothing of the learner moves.
func TestImportanceOfADoubledSet(t *testing.T) {
	spec := qlearntest.Spec(2)
	eps := qlearntest.Episodes(rng.New(5).Stream(), spec, 5)
	l := learner(t, "qplex", spec, with(), 2)
	must(t, l.SetPenalties([]core.Penalty{{Scope: core.ScopeFeatures, Anchor: make([]float32, len(l.Parameters(core.ScopeFeatures, nil))), Coef: 9}}))
	before := bytesOf(t, l)
	once := importance(t, l, eps, core.ImportanceTDLoss)
	twice := importance(t, l, append(slices.Clone(eps), eps...), core.ImportanceTDLoss)
	if d := worst(twice, float64s(once)); d > 1e-6 {
		t.Errorf("the importance of the doubled set differs by %.1e", d)
	}
	if !slices.Equal(before, bytesOf(t, l)) {
		t.Error("computing the importance changed the learner")
	}
	single := learner(t, "qplex", spec, with(), 1)
	if !slices.Equal(once, importance(t, single, eps, core.ImportanceTDLoss)) {
		t.Error("one thread gives another importance than two")
	}
	if _, err := l.Importance(nil, core.ImportanceTDLoss); err == nil {
		t.Error("no episodes have an importance")
	}
	if _, err := l.Importance(eps, "fisher"); err == nil {
		t.Error("accepted an unknown source")
	}
}
