package qlearn_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
)

// busy is a learner with everything that a state holds.
func busy(t *testing.T, mixer string, threads int) *qlearn.Learner {
	return busyOn(t, qlearntest.Spec(2), mixer, threads)
}

func busyOn(t *testing.T, spec core.EnvSpec, mixer string, threads int) *qlearn.Learner {
	l := learner(t, mixer, spec, with("optim_on_switch", "reset_head"), threads)
	newHead(t, l, core.HeadCopy)
	for _, b := range batches(1, spec, 3, 4) {
		train(t, l, b)
	}
	must(t, l.SaveHead(0))
	must(t, l.SaveMixer(0))
	l.SyncTarget()
	newHead(t, l, core.HeadReset)
	anchor := l.Parameters(core.ScopeFeatures, nil)
	must(t, l.SetPenalties([]core.Penalty{
		{Scope: core.ScopeFeatures, Anchor: anchor, Coef: 1.0 / 3},
		{Scope: core.ScopeFeatures, Anchor: anchor, Importance: anchor, Coef: 2},
	}))
	for _, b := range batches(2, spec, 2, 4) {
		train(t, l, b)
	}
	return l
}

// future is what a learner does next: steps, a fresh head, acting.
func future(t *testing.T, l *qlearn.Learner) ([]core.TrainStats, []byte, []float32) {
	return futureOn(t, qlearntest.Spec(2), l)
}

func futureOn(t *testing.T, spec core.EnvSpec, l *qlearn.Learner) ([]core.TrainStats, []byte, []float32) {
	var stats []core.TrainStats
	for i, b := range batches(3, spec, 6, 5) {
		stats = append(stats, train(t, l, b))
		if i == 2 {
			newHead(t, l, core.HeadReset)
			l.SyncTarget()
		}
	}
	step := newActStep(l, spec, 2)
	step.Heads = []int32{0, 1, 2, core.LiveHead}
	must(t, l.Act(step))
	return stats, bytesOf(t, l), step.Q
}

// A restored learner goes on bit by bit as the saved one, with one thread or
// two.
func TestStateIsComplete(t *testing.T) {
	for _, mixer := range []string{"vdn", "qmix", "qplex"} {
		l := busy(t, mixer, 2)
		state := bytesOf(t, l)
		other := learner(t, mixer, qlearntest.Spec(2), with("optim_on_switch", "reset_head"), 1)
		train(t, other, batches(9, qlearntest.Spec(2), 1, 4)[0]) // something to overwrite
		must(t, other.Load(bytes.NewReader(state)))
		if !slices.Equal(state, bytesOf(t, other)) {
			t.Errorf("%s: saving a restored learner gives other bytes", mixer)
		}
		st1, b1, q1 := future(t, l)
		st2, b2, q2 := future(t, other)
		if !slices.Equal(st1, st2) || !slices.Equal(b1, b2) || !slices.Equal(q1, q2) {
			t.Errorf("%s: the restored learner goes another way", mixer)
		}
	}
}

// One thread and two give the same bits at every step.
func TestThreads(t *testing.T) {
	for _, mixer := range []string{"vdn", "qmix", "qplex"} {
		one, two := busy(t, mixer, 1), busy(t, mixer, 2)
		a, x, _ := future(t, one)
		b, y, _ := future(t, two)
		if !slices.Equal(a, b) || !slices.Equal(x, y) {
			t.Errorf("%s: the bits depend on the number of threads", mixer)
		}
	}
}

// A state of other shapes is refused, in words that name the tensor, both
// shapes and both tasks, and leaves the learner as it was.
func TestStateOfOtherShapes(t *testing.T) {
	wide := qlearntest.Spec(2)
	wide.Task, wide.ObsWidth = "wide", 9
	for _, c := range []struct {
		name  string
		saved *qlearn.Learner
		want  []string
	}{
		{"observation", learner(t, "qmix", wide, with(), 1), []string{"online.phi.mlp.fc1.weight", "[8 15]", "[8 11]", "toy/wide", "toy/small"}},
		{"team", learner(t, "qmix", qlearntest.Spec(3), with(), 1), []string{"online.phi.mlp.fc1.weight", "[8 12]", "[8 11]"}},
		{"width", learner(t, "qmix", qlearntest.Spec(2), with("rnn_hidden_dim", 7), 1), []string{"[7 8]", "[6 8]"}},
		{"mixer missing", learner(t, "vdn", qlearntest.Spec(2), with(), 1), []string{"online.mixer.w1.fc1.weight"}},
		{"other mixer", learner(t, "qplex", qlearntest.Spec(2), with(), 1), []string{"online.mixer.w1.fc1.weight"}},
	} {
		l := learner(t, "qmix", qlearntest.Spec(2), with(), 1)
		before := bytesOf(t, l)
		err := l.Load(bytes.NewReader(bytesOf(t, c.saved)))
		for _, w := range c.want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: error %v, want one with %q", c.name, err, w)
			}
		}
		if !slices.Equal(before, bytesOf(t, l)) {
			t.Errorf("%s: a refused state changed the learner", c.name)
		}
	}
	typed := qlearntest.Entities(2, 3)
	other := *typed.Entities
	other.OwnObs, other.AllyObs, other.AllyState = 3, 4, 4 // a unit type more
	typed.Task, typed.Entities, typed.ObsWidth, typed.StateWidth = "other", &other, typed.ObsWidth+2, typed.StateWidth+2
	army := learner(t, "qmix", qlearntest.Entities(2, 3), with(), 1)
	if err := army.Load(bytes.NewReader(bytesOf(t, learner(t, "qmix", typed, with(), 1)))); err == nil || !strings.Contains(err.Error(), "toy/other") {
		t.Errorf("a learner of one family of units took the state of another: %v", err)
	}
	v := learner(t, "vdn", qlearntest.Spec(2), with(), 1)
	q := learner(t, "qmix", qlearntest.Spec(2), with(), 1)
	if err := v.Load(bytes.NewReader(bytesOf(t, q))); err == nil || !strings.Contains(err.Error(), "is not part of this learner") {
		t.Errorf("VDN took a state of QMIX: %v", err)
	}
}

func TestBrokenStates(t *testing.T) {
	l := busy(t, "qmix", 1)
	state := bytesOf(t, l)
	for _, b := range [][]byte{nil, state[:100], state[:len(state)-1], append(slices.Clone(state), 0)} {
		if err := l.Load(bytes.NewReader(b)); err == nil {
			t.Errorf("loaded %d of %d bytes", len(b), len(state))
		}
	}
	if !slices.Equal(state, bytesOf(t, l)) {
		t.Error("a broken state changed the learner")
	}
}

// Only SyncTarget changes the target; acting, valuing and saving change
// nothing at all.
func TestTargetMovesAtSyncsOnly(t *testing.T) {
	spec := qlearntest.Spec(2)
	l := learner(t, "qmix", spec, with(), 1)
	flat := func(ws []core.Weight) (all []float32) {
		for _, w := range ws {
			all = append(all, w.Data...)
		}
		return all
	}
	before := flat(l.TargetWeights())
	for _, b := range batches(1, spec, 5, 4) {
		train(t, l, b)
	}
	newHead(t, l, core.HeadReset)
	if !slices.Equal(before, flat(l.TargetWeights())) {
		t.Error("training or a new head changed the target")
	}
	l.SyncTarget()
	if online := flat(l.Weights()); !slices.Equal(online[:len(before)], flat(l.TargetWeights())) {
		t.Error("the target is not the online network after a sync")
	}
	state := bytesOf(t, l)
	must(t, l.Act(newActStep(l, spec, 3)))
	if !slices.Equal(state, bytesOf(t, l)) {
		t.Error("acting changed the learner")
	}
}

func TestWeights(t *testing.T) {
	l := busy(t, "qmix", 1)
	names := map[string][]int{}
	for _, w := range l.Weights() {
		if _, twice := names[w.Name]; twice {
			t.Errorf("%s appears twice", w.Name)
		}
		names[w.Name] = w.Shape
		w.Data[0]++ // a copy
	}
	for name, shape := range map[string][]int{
		"phi.mlp.fc1.weight": {8, 11}, "phi.gru.weight_hh": {18, 6}, "head.fc1.weight": {4, 6},
		"head0.fc1.bias": {4}, "head1.fc1.weight": {4, 6}, "mixer.w1.fc2.weight": {10, 7},
	} {
		if !slices.Equal(names[name], shape) {
			t.Errorf("%s has shape %v, want %v; there are %v", name, names[name], shape, slices.Sorted(maps.Keys(names)))
		}
	}
	for _, c := range []struct {
		w    core.Weight
		want string
	}{
		{core.Weight{Name: "phi.mlp.fc1.wieght"}, "phi.mlp.fc1.weight"},
		{core.Weight{Name: "head.fc1.bias", Shape: []int{5}, Data: make([]float32, 5)}, "want [4]"},
	} {
		if err := l.SetWeights([]core.Weight{c.w}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}
