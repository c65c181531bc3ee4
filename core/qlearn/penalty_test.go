package qlearn_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
)

// gradient is the gradient of one step with a step size of zero and no clip,
// over the parameters of the agents.
func gradient(t *testing.T, l *qlearn.Learner) (core.TrainStats, []float64) {
	t.Helper()
	st := train(t, l, batches(1, qlearntest.Spec(2), 1, 4)[0])
	var g []float64
	for _, w := range l.Gradients() {
		if !strings.HasPrefix(w.Name, "mixer.") {
			g = append(g, float64s(w.Data)...)
		}
	}
	return st, g
}

func penaltyLearner(t *testing.T) *qlearn.Learner {
	return learner(t, "qmix", qlearntest.Spec(2), with("lr", 0.0, "grad_norm_clip", 0.0), 1)
}

// Value and gradient of every kind of penalty equal the formulas.
func TestPenalties(t *testing.T) {
	s := rng.New(1).Stream()
	l := penaltyLearner(t)
	plain, tdGrad := gradient(t, l)
	theta := l.Parameters(core.ScopeAgent, nil)
	phi := len(l.Parameters(core.ScopeFeatures, nil))
	for _, scope := range []core.Scope{core.ScopeFeatures, core.ScopeHead, core.ScopeAgent} {
		lo, hi := 0, len(theta)
		switch scope {
		case core.ScopeFeatures:
			hi = phi
		case core.ScopeHead:
			lo = phi
		}
		anchor, importance := qlearntest.Normals(s, hi-lo), qlearntest.Normals(s, hi-lo)
		for i := range importance {
			importance[i] *= importance[i]
		}
		for _, p := range []core.Penalty{
			{Scope: scope, Anchor: anchor, Coef: 3},
			{Scope: scope, Anchor: anchor, Coef: 3, Importance: importance},
			{Scope: scope, Anchor: anchor, Coef: 3, L2: true},
		} {
			must(t, l.SetPenalties([]core.Penalty{p, p})) // terms add up
			st, g := gradient(t, l)
			sum := 0.0
			for i, a := range anchor {
				d, w := float64(theta[lo+i])-float64(a), 1.0
				if p.Importance != nil {
					w = float64(importance[i])
				}
				sum += w * d * d
			}
			value, slope := 2*3*sum, 2*2*3.0
			if p.L2 {
				value, slope = 2*3*math.Sqrt(sum), 2*3/math.Sqrt(sum)
			}
			if math.Abs(st.Penalty-value) > 1e-6*value || st.TDLoss != plain.TDLoss || math.Abs(st.Loss-st.TDLoss-value) > 1e-6*value {
				t.Errorf("%s, L2 %v: penalty %v, want %v; TD loss %v, want %v", scope, p.L2, st.Penalty, value, st.TDLoss, plain.TDLoss)
			}
			want := slices.Clone(tdGrad)
			for i, a := range anchor {
				w := 1.0
				if p.Importance != nil {
					w = float64(importance[i])
				}
				want[lo+i] += slope * w * (float64(theta[lo+i]) - float64(a))
			}
			got := make([]float32, len(g))
			for i := range g {
				got[i] = float32(g[i])
			}
			if d := worst(got, want); d > 1e-6 {
				t.Errorf("%s, L2 %v, importance %v: gradients differ by %.1e", scope, p.L2, p.Importance != nil, d)
			}
		}
	}
}

// At the anchor a penalty is exactly nothing, whatever its kind; without
// penalties the value is exactly zero.
func TestPenaltyAtTheAnchor(t *testing.T) {
	l := penaltyLearner(t)
	plain, want := gradient(t, l)
	if plain.Penalty != 0 {
		t.Errorf("penalty %v before any was set", plain.Penalty)
	}
	anchor := l.Parameters(core.ScopeAgent, nil)
	for _, l2 := range []bool{false, true} {
		must(t, l.SetPenalties([]core.Penalty{{Scope: core.ScopeAgent, Anchor: anchor, Coef: 500, L2: l2}}))
		st, got := gradient(t, l)
		if st != plain || !slices.Equal(got, want) {
			t.Errorf("L2 %v: a penalty at its anchor has an effect: %+v, without %+v", l2, st, plain)
		}
	}
	anchor[0]++
	must(t, l.SetPenalties([]core.Penalty{{Scope: core.ScopeAgent, Anchor: anchor, Coef: 500}}))
	if st, _ := gradient(t, l); math.Abs(st.Penalty-500) > 1e-3 {
		t.Errorf("penalty %v a unit away from the anchor, want 500", st.Penalty)
	}
	must(t, l.SetPenalties(nil))
	if st, _ := gradient(t, l); st != plain {
		t.Error("a removed penalty still acts")
	}
}

func TestBadPenalties(t *testing.T) {
	l := penaltyLearner(t)
	phi := l.Parameters(core.ScopeFeatures, nil)
	for _, c := range []struct {
		p    core.Penalty
		want string
	}{
		{core.Penalty{Scope: "everything", Anchor: phi}, `unknown scope "everything"`},
		{core.Penalty{Scope: core.ScopeHead, Anchor: phi}, `scope "head" has`},
		{core.Penalty{Scope: core.ScopeFeatures, Anchor: phi, Importance: phi[1:]}, "importance of"},
		{core.Penalty{Scope: core.ScopeFeatures, Anchor: phi, Importance: phi, L2: true}, "takes no importance"},
	} {
		if err := l.SetPenalties([]core.Penalty{c.p}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// The caller's slices may change after the call.
func TestPenaltiesAreCopied(t *testing.T) {
	l := penaltyLearner(t)
	anchor := l.Parameters(core.ScopeAgent, nil)
	must(t, l.SetPenalties([]core.Penalty{{Scope: core.ScopeAgent, Anchor: anchor, Coef: 1}}))
	clear(anchor)
	if st, _ := gradient(t, l); st.Penalty != 0 {
		t.Error("the anchor is the caller's slice")
	}
}

// clip_scope: the whole gradient is cut to the limit, or that of the TD loss
// before a penalty is added.
func TestClip(t *testing.T) {
	spec := qlearntest.Spec(2)
	batch := batches(1, spec, 1, 4)[0]
	norm := func(scope string) (core.TrainStats, float64) {
		l := learner(t, "qmix", spec, with("lr", 0.0, "grad_norm_clip", 0.01, "clip_scope", scope), 1)
		anchor := l.Parameters(core.ScopeAgent, nil)
		anchor[3]++
		must(t, l.SetPenalties([]core.Penalty{{Scope: core.ScopeAgent, Anchor: anchor, Coef: 1}}))
		st := train(t, l, batch)
		sum := 0.0
		for _, w := range l.Gradients() {
			for _, g := range w.Data {
				sum += float64(g) * float64(g)
			}
		}
		return st, math.Sqrt(sum)
	}
	total, n := norm("total")
	if math.Abs(n-0.01) > 1e-5 || total.GradNorm < 2 || math.Abs(total.Clip-0.01/(total.GradNorm+1e-6)) > 1e-9 {
		t.Errorf("total: norm after the clip %v, %+v", n, total)
	}
	td, n := norm("td")
	if math.Abs(n-2) > 0.02 || td.GradNorm >= 2 || td.Clip >= 1 {
		t.Errorf("td: norm %v after the clip and the penalty, want about 2, %+v", n, td)
	}
}

// phi_lr_scale slows the features down while a penalty acts.
func TestFeatureStepSize(t *testing.T) {
	spec := qlearntest.Spec(2)
	batch := batches(1, spec, 1, 4)[0]
	moved := func(scale float64, penalised bool) (phi, head float64) {
		l := learner(t, "qmix", spec, with("phi_lr_scale", scale), 1)
		before := l.Parameters(core.ScopeAgent, nil)
		if penalised {
			must(t, l.SetPenalties([]core.Penalty{{Scope: core.ScopeAgent, Anchor: before, Coef: 1}}))
		}
		train(t, l, batch)
		n := len(l.Parameters(core.ScopeFeatures, nil))
		for i, x := range l.Parameters(core.ScopeAgent, nil) {
			if d := math.Abs(float64(x - before[i])); i < n {
				phi = max(phi, d)
			} else {
				head = max(head, d)
			}
		}
		return phi, head
	}
	phi, head := moved(1, true)
	slow, sameHead := moved(0.1, true)
	free, _ := moved(0.1, false)
	if math.Abs(slow-0.1*phi) > 1e-4*phi || sameHead != head || free != phi {
		t.Errorf("phi moved %v, with scale 0.1 %v, without penalty %v; head %v and %v", phi, slow, free, head, sameHead)
	}
}
