package qlearn_test

import (
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/qlearn/qlearntest"
)

// One pass of the features serves all heads with the values that Act gives, and
// the target network has features, a head and a mixer of its own.
func TestHeadValues(t *testing.T) {
	for _, spec := range []core.EnvSpec{qlearntest.Spec(2), apart(2)} {
		t.Run(spec.Task, func(t *testing.T) { headValues(t, spec) })
	}
}

func headValues(t *testing.T, spec core.EnvSpec) {
	l := learner(t, "qmix", spec, with(), 1)
	newHead(t, l, core.HeadReset)
	newHead(t, l, core.HeadReset)
	l.SyncTarget()
	act := func(k int32) *core.ActStep {
		step := newActStep(l, spec, 3)
		step.Heads = slices.Repeat([]int32{k}, 6)
		must(t, l.Act(step))
		return step
	}
	values := func(heads ...int32) ([]float32, []float32) {
		a := newActStep(l, spec, 3)
		step := &core.HeadStep{Lanes: 3, Obs: a.Obs, LastActions: a.LastActions, Hidden: a.Hidden, Heads: heads, Q: make([]float32, len(heads)*len(a.Q))}
		must(t, l.HeadValues(step))
		return step.Q, step.Hidden
	}
	joint := func(mixer int) []float32 {
		step := &core.JointStep{Lanes: 2, Mixer: mixer, State: make([]float32, 12), Avail: slices.Repeat([]uint8{1}, 16),
			Q: slices.Repeat([]float32{1, 2}, 8), Actions: make([]int32, 4), QTot: make([]float32, 2)}
		must(t, l.JointValues(step))
		return step.QTot
	}
	before, mixed := act(core.LiveHead), joint(core.LiveHead)
	for _, b := range batches(2, spec, 1, 4) {
		train(t, l, b)
	}
	heads := []int32{1, core.LiveHead, 0}
	q, hidden := values(heads...)
	for i, k := range heads {
		want := act(k)
		if got := q[i*len(want.Q) : (i+1)*len(want.Q)]; !slices.Equal(got, want.Q) {
			t.Errorf("head %d: %v, Act gives %v", k, got, want.Q)
		}
		if !slices.Equal(hidden, want.Hidden) {
			t.Errorf("head %d: the features are not those of Act", k)
		}
	}
	target, hidden := values(core.TargetHead)
	if !slices.Equal(target, before.Q) || !slices.Equal(hidden, before.Hidden) {
		t.Error("the target network does not give what the online network gave at the last sync")
	}
	if !slices.Equal(joint(core.TargetHead), mixed) || slices.Equal(joint(core.LiveHead), mixed) {
		t.Error("the target's mixer is not that of the last sync")
	}
	l.SyncTarget()
	if q, _ := values(core.TargetHead); !slices.Equal(q, act(core.LiveHead).Q) {
		t.Error("the target's values do not follow a sync")
	}
}

func TestHeadValuesRefuses(t *testing.T) {
	spec := qlearntest.Spec(2)
	l := learner(t, "vdn", spec, with(), 1)
	for want, spoil := range map[string]func(*core.HeadStep){
		"values of no heads":            func(s *core.HeadStep) { s.Heads, s.Q = nil, nil },
		"there is no head 0":            func(s *core.HeadStep) { s.Heads[0] = 0 },
		"stands alone":                  func(s *core.HeadStep) { s.Heads[0] = core.TargetHead },
		"room for 15 values of 2 heads": func(s *core.HeadStep) { s.Q = s.Q[1:] },
		"last action 4":                 func(s *core.HeadStep) { s.LastActions[0] = 4 },
	} {
		a := newActStep(l, spec, 1)
		step := &core.HeadStep{Lanes: 1, Obs: a.Obs, LastActions: a.LastActions, Hidden: a.Hidden,
			Heads: []int32{core.LiveHead, core.LiveHead}, Q: make([]float32, 16)}
		must(t, l.HeadValues(step))
		spoil(step)
		if err := l.HeadValues(step); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
