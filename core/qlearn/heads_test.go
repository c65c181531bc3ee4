package qlearn_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
)

// saved is the weight of saved head k.
func saved(l *qlearn.Learner, k int) []float32 {
	return qlearn.MustFind(l.Weights(), "head"+string(rune('0'+k))+".fc1.weight").Data
}

func live(l *qlearn.Learner) []float32 { return qlearn.MustFind(l.Weights(), "head.fc1.weight").Data }

func newHead(t *testing.T, l *qlearn.Learner, init core.HeadInit) int {
	t.Helper()
	k, err := l.NewHead(init)
	must(t, err)
	return k
}

// Training changes the live head alone; saved heads change at saves.
func TestHeadIsolation(t *testing.T) {
	spec := qlearntest.Spec(2)
	l := learner(t, "qmix", spec, with(), 2)
	for k := range 3 {
		if got := newHead(t, l, core.HeadReset); got != k {
			t.Fatalf("new head %d, want %d", got, k)
		}
	}
	must(t, l.LoadHead(1))
	before := [][]float32{saved(l, 0), saved(l, 1), saved(l, 2)}
	for _, b := range batches(1, spec, 100, 4) {
		train(t, l, b)
	}
	for k, w := range before {
		if !slices.Equal(w, saved(l, k)) {
			t.Errorf("training changed saved head %d", k)
		}
	}
	if slices.Equal(live(l), before[1]) {
		t.Error("training did not change the live head")
	}
	must(t, l.SaveHead(1))
	if !slices.Equal(saved(l, 1), live(l)) {
		t.Error("saving did not copy the live head")
	}
	if !slices.Equal(saved(l, 0), before[0]) || !slices.Equal(saved(l, 2), before[2]) {
		t.Error("saving head 1 changed another one")
	}
}

// A step beside ten saved heads allocates nothing and changes phi, the live head
// and the mixer; saved heads, saved mixers and the target stay.
func TestStepBesideManyHeads(t *testing.T) {
	spec := qlearntest.Spec(2)
	l := learner(t, "qmix", spec, with(), 1)
	for k := range 10 {
		newHead(t, l, core.HeadReset)
		must(t, l.SaveMixer(k))
	}
	all := func() map[string][]float32 {
		m := map[string][]float32{}
		for _, w := range l.Weights() {
			m[w.Name] = w.Data
		}
		for _, w := range l.TargetWeights() {
			m["target "+w.Name] = slices.Clone(w.Data)
		}
		for k := range 10 {
			m[fmt.Sprint("saved mixer ", k)] = l.SavedMixer(k)
		}
		return m
	}
	before, eps := all(), batches(1, spec, 1, 8)[0]
	train(t, l, eps)
	if n := testing.AllocsPerRun(20, func() { train(t, l, eps) }); n != 0 {
		t.Errorf("%v allocations in a step, want none", n)
	}
	trained := map[string]bool{"phi": true, "head": true, "mixer": true}
	changed := map[string]bool{}
	for name, w := range all() {
		if part, _, _ := strings.Cut(name, "."); !slices.Equal(w, before[name]) {
			if changed[part] = true; !trained[part] {
				t.Errorf("training changed %s", name)
			}
		}
	}
	if len(changed) < len(trained) {
		t.Errorf("training changed %v, want phi, head and mixer", changed)
	}
}

func TestNewHeads(t *testing.T) {
	l := learner(t, "vdn", qlearntest.Spec(2), with(), 1)
	start, phi := live(l), l.Parameters(core.ScopeFeatures, nil)
	newHead(t, l, core.HeadCopy)
	if !slices.Equal(live(l), start) || !slices.Equal(saved(l, 0), start) {
		t.Error("a copied head differs from the live one")
	}
	newHead(t, l, core.HeadReset)
	if slices.Equal(live(l), start) || !slices.Equal(saved(l, 1), live(l)) || !slices.Equal(saved(l, 0), start) {
		t.Error("a reset head must be fresh, live and saved, and leave the others alone")
	}
	if !slices.Equal(phi, l.Parameters(core.ScopeFeatures, nil)) {
		t.Error("a new head changed the features")
	}
	if l.Heads() != 2 {
		t.Errorf("%d heads, want 2", l.Heads())
	}
}

func TestUnknownHeadsAreErrors(t *testing.T) {
	spec := qlearntest.Spec(2)
	l := learner(t, "vdn", spec, with(), 1)
	newHead(t, l, core.HeadCopy)
	step := newActStep(l, spec, 1)
	step.Heads = []int32{0, 1}
	for name, err := range map[string]error{
		"save": l.SaveHead(1), "load": l.LoadHead(-2), "act": l.Act(step), "mixer": l.SaveMixer(4),
	} {
		if err == nil || !strings.Contains(err.Error(), "1 heads are saved") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := l.NewHead("clone"); err == nil || !strings.Contains(err.Error(), `"clone"`) {
		t.Errorf("error %v", err)
	}
}

// The optimiser's state of the head is forgotten or kept at a switch.
func TestOptimiserAtASwitch(t *testing.T) {
	spec := qlearntest.Spec(2)
	for _, c := range []struct {
		setting string
		forgets bool
	}{{"keep", false}, {"reset_head", true}} {
		l := learner(t, "qmix", spec, with("optim_on_switch", c.setting), 1)
		for _, b := range batches(1, spec, 3, 4) {
			train(t, l, b)
		}
		before := l.SquaredGradients()
		newHead(t, l, core.HeadCopy)
		for i, w := range l.SquaredGradients() {
			cleared := !slices.ContainsFunc(w.Data, func(x float32) bool { return x != 0 })
			if want := c.forgets && strings.HasPrefix(w.Name, "head."); cleared != want && !(cleared && !slices.ContainsFunc(before[i].Data, func(x float32) bool { return x != 0 })) {
				t.Errorf("%s: %s cleared: %v, want %v", c.setting, w.Name, cleared, want)
			}
		}
	}
}

// Every row has the values of its own head, computed from the same features.
func TestHeadPerRow(t *testing.T) {
	for _, spec := range []core.EnvSpec{qlearntest.Spec(2), apart(2)} {
		t.Run(spec.Task, func(t *testing.T) { headPerRow(t, spec) })
	}
}

func headPerRow(t *testing.T, spec core.EnvSpec) {
	l := learner(t, "vdn", spec, with(), 1)
	newHead(t, l, core.HeadReset)
	newHead(t, l, core.HeadReset)
	must(t, l.LoadHead(0))
	for _, b := range batches(2, spec, 1, 4) {
		train(t, l, b) // now the live head differs from all saved ones
	}
	act := func(heads []int32) *core.ActStep {
		step := newActStep(l, spec, 3)
		step.Heads = heads
		must(t, l.Act(step))
		return step
	}
	same := map[int32]*core.ActStep{}
	for _, k := range []int32{core.LiveHead, 0, 1} {
		same[k] = act(slices.Repeat([]int32{k}, 6))
	}
	if !slices.Equal(same[core.LiveHead].Q, act(nil).Q) {
		t.Error("no heads must mean the live head")
	}
	heads := []int32{1, 1, 0, core.LiveHead, core.LiveHead, 1}
	mixed := act(heads)
	for r, k := range heads {
		lo, hi := r*spec.Actions, (r+1)*spec.Actions
		if !slices.Equal(mixed.Q[lo:hi], same[k].Q[lo:hi]) {
			t.Errorf("row %d has %v, head %d gives %v", r, mixed.Q[lo:hi], k, same[k].Q[lo:hi])
		}
	}
	if !slices.Equal(mixed.Hidden, same[0].Hidden) || !slices.Equal(mixed.Hidden, same[1].Hidden) {
		t.Error("the features depend on the head")
	}
	if slices.Equal(same[0].Q, same[1].Q) || slices.Equal(same[0].Q, same[core.LiveHead].Q) {
		t.Error("two heads give the same values")
	}
	for k := range int32(2) {
		must(t, l.LoadHead(int(k)))
		if !slices.Equal(act(nil).Q, same[k].Q) {
			t.Errorf("saved head %d gives other values than when it is live", k)
		}
	}
}

// A joint action is valued as in training, and with an earlier mixer when its
// copy is asked for.
func TestJointValues(t *testing.T) {
	spec := qlearntest.Spec(2)
	for _, mixer := range []string{"vdn", "qmix", "qplex"} {
		l := learner(t, mixer, spec, with("lr", 0.0), 2)
		newHead(t, l, core.HeadCopy)
		eps := batches(3, spec, 1, 5)[0]
		train(t, l, eps)
		e := eps[2]
		step := &core.JointStep{Lanes: e.T, Mixer: core.LiveHead, State: e.State[:e.T*spec.StateWidth],
			Avail: e.Avail[:e.T*spec.Agents*spec.Actions], Actions: e.Actions, QTot: make([]float32, e.T)}
		var want []float32
		for _, k := range l.LastStep() {
			if k.Episode == e.Index {
				step.Q, want = append(step.Q, k.Values...), append(want, k.QTot)
			}
		}
		must(t, l.JointValues(step))
		if !slices.Equal(step.QTot, want) {
			t.Errorf("%s: %v, in training %v", mixer, step.QTot, want)
		}
		step.Mixer = 0
		if err := l.JointValues(step); err == nil {
			t.Error("valued with a mixer that was not saved")
		}
		must(t, l.SaveMixer(0))
		l.SetLR(0.01)
		train(t, l, eps)
		must(t, l.JointValues(step))
		if !slices.Equal(step.QTot, want) {
			t.Errorf("%s: with the saved mixer %v, before %v", mixer, step.QTot, want)
		}
		step.Mixer = core.LiveHead
		must(t, l.JointValues(step))
		if mixer != "vdn" && slices.Equal(step.QTot, want) {
			t.Errorf("%s: the online mixer was not used", mixer)
		}
		var b bytes.Buffer
		must(t, l.Save(&b))
		other := learner(t, mixer, spec, with(), 1)
		must(t, other.Load(&b))
		step.Mixer = 0
		must(t, other.JointValues(step))
		if !slices.Equal(step.QTot, want) {
			t.Errorf("%s: the saved mixer was not restored", mixer)
		}
	}
}

func TestJointValuesRefuses(t *testing.T) {
	spec := qlearntest.Spec(2)
	l := learner(t, "qmix", spec, with(), 1)
	for want, spoil := range map[string]func(*core.JointStep){
		"11 states":              func(s *core.JointStep) { s.State = s.State[1:] },
		"action 4 of row 3":      func(s *core.JointStep) { s.Actions[3] = 4 },
		"row 2 has no available": func(s *core.JointStep) { clear(s.Avail[8:12]) },
		"there is no head 0":     func(s *core.JointStep) { s.Mixer = 0 },
	} {
		step := &core.JointStep{Lanes: 2, Mixer: core.LiveHead, State: make([]float32, 12), Avail: slices.Repeat([]uint8{1}, 16),
			Q: make([]float32, 16), Actions: make([]int32, 4), QTot: make([]float32, 2)}
		must(t, l.JointValues(step))
		spoil(step)
		if err := l.JointValues(step); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
