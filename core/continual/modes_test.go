package continual_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
)

// extended is the mini method with more test modes, in which it acts as in its
// own one.
type extended struct {
	mini.Method
	modes []string
}

func (p extended) New(s core.Settings, sv core.Services) (core.Method, error) {
	m, err := p.Method.New(s, sv)
	return extendedMethod{m, p.modes}, err
}

type extendedMethod struct {
	core.Method
	more []string
}

func (m extendedMethod) Modes() []string { return slices.Concat(m.Method.Modes(), m.more) }

func (m extendedMethod) ChooseHeads(t core.Task, mode string, ev core.Evaluation) (core.HeadPlan, error) {
	if slices.Contains(m.more, mode) {
		mode = mini.ModeOwn
	}
	return m.Method.ChooseHeads(t, mode, ev)
}

// A checkpoint from before the method had a mode is resumed: the mode has scores
// from then on, the others are as they were. One with scores of a mode that the
// method does not have is refused.
func TestResumeWithAModeMore(t *testing.T) {
	with := func(modes ...string) continual.Options {
		o := options()
		o.Method = extended{modes: modes}
		return o
	}
	rec := &tape{t: t}
	want := finish(t, start(t, rec, with()))
	i := slices.IndexFunc(rec.Checkpoints, func(c conform.Checkpoint) bool { return c.Meta.Reason == continual.ReasonTaskEnd })
	r := start(t, &tape{t: t}, with("late"))
	if err := conform.LoadParts(r, rec.Checkpoints[i].Parts); err != nil {
		t.Fatal(err)
	}
	got := finish(t, r)
	if got.FinalAverage[mini.ModeOwn] != want.FinalAverage[mini.ModeOwn] {
		t.Errorf("own mode: %v, want %v", got.FinalAverage[mini.ModeOwn], want.FinalAverage[mini.ModeOwn])
	}
	late := got.R["late"]
	if !math.IsNaN(late[1][0]) || math.IsNaN(late[len(late)-1][0]) {
		t.Errorf("scores of the late mode: %v", late)
	}
	more := &tape{t: t}
	finish(t, start(t, more, with("late")))
	last := more.Checkpoints[len(more.Checkpoints)-1]
	err := conform.LoadParts(start(t, nil, with()), last.Parts)
	if err == nil || !strings.Contains(err.Error(), "it has scores of the mode late, this run has the modes own, probe, steps") {
		t.Errorf("a mode too many: %v", err)
	}
}
