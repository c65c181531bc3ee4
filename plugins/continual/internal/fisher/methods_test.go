package fisher_test

import (
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/plugins/continual/ewc"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/continual/owl"
	"macpro/plugins/learners/qmix"
)

// EWC pulls the features and the head back to where a task has left them, OWL
// the features alone; the mixer is free.
func TestWhatMethodsProtect(t *testing.T) {
	for _, c := range []struct {
		plugin core.MethodPlugin
		pulled map[string]bool
	}{
		{ewc.Plugin{}, map[string]bool{"phi.": true, "head.": true, "mixer.": false}},
		{owl.Plugin{}, map[string]bool{"phi.": true, "head.": false, "mixer.": false}},
	} {
		l := afterATask(t, c.plugin)
		for part, pulled := range c.pulled {
			if p := penaltyAway(t, l, part); (p > 0) != pulled {
				t.Errorf("%s: penalty %v with %s* moved, want a pull: %v", c.plugin.Info().Name, p, part, pulled)
			}
		}
	}
}

var eps = qlearntest.Episodes(rng.New(3).Stream(), qlearntest.Spec(2), 8)

// afterATask is a learner whose weights stay as they are, with the penalties
// that a method gives it at the first task's end.
func afterATask(t *testing.T, p core.MethodPlugin) *qlearn.Learner {
	t.Helper()
	s := methodtest.Subject(t, p, qmix.Plugin{}, "lr", 0.0)
	spec := qlearntest.Spec(2)
	l, err := s.Learner.New(s.Settings, spec, core.LearnerOptions{Source: rng.New(1), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.New(s.Settings, core.Services{Learner: l, Source: rng.New(2), Journal: &conform.Record{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.BeginTask(core.Task{Spec: spec}, core.Progress{}); err != nil {
		t.Fatal(err)
	}
	for _, e := range eps {
		if err := m.Collected(e, core.Progress{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.EndTask(core.Progress{}); err != nil {
		t.Fatal(err)
	}
	return l.(*qlearn.Learner)
}

// penaltyAway is the penalty with the tensors of one part moved for the time of
// a step.
func penaltyAway(t *testing.T, l *qlearn.Learner, part string) float64 {
	t.Helper()
	var before, moved []core.Weight
	for _, w := range l.Weights() {
		if !strings.HasPrefix(w.Name, part) {
			continue
		}
		before = append(before, w)
		w.Data = slices.Clone(w.Data)
		for j := range w.Data {
			w.Data[j] += 0.1
		}
		moved = append(moved, w)
	}
	if err := l.SetWeights(moved); err != nil || len(moved) == 0 {
		t.Fatalf("%d tensors of %s: %v", len(moved), part, err)
	}
	st, err := l.Train(eps)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.SetWeights(before); err != nil {
		t.Fatal(err)
	}
	return st.Penalty
}
