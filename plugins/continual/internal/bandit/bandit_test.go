package bandit

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform/mini"
	"macpro/core/episode"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
)

// published are the authors' settings.
var published = Config{LR: 0.88, Decay: 0.9, Step: 1, Feedback: TDJoint}

func probabilities(w weights) []float64 {
	p := make([]float64, len(w))
	w.softmax(p)
	return p
}

// Equal errors leave the choice uniform, whatever they are.
func TestEqualErrorsStayUniform(t *testing.T) {
	for _, e := range []float64{0, 1e-9, 0.01, 3, 1e12} {
		w := make(weights, 4)
		for range 50 {
			w.update(&published, []float64{e, e, e, e})
			for _, p := range probabilities(w) {
				if p != 0.25 {
					t.Fatalf("errors of %v: %v", e, probabilities(w))
				}
			}
		}
	}
}

// An arm of score 50 against one of 10 has almost all probability after one
// update: l = 44 against 8.8.
func TestOneUpdate(t *testing.T) {
	w := make(weights, 2)
	w.update(&published, []float64{0, 0.1})
	if math.Abs(w[0]-44) > 1e-9 || math.Abs(w[1]-8.8) > 1e-9 || probabilities(w)[0] <= 0.99 {
		t.Errorf("l = %v, p = %v", w, probabilities(w))
	}
	// The scores decay first: 8.8 becomes 7.92, and 8.8/exp(7.92) is 0.0031979.
	w.update(&published, []float64{0, 0.1})
	if want := 7.923197940473157; math.Abs(w[1]-want) > 1e-9 {
		t.Errorf("second update: l = %v, want %v", w[1], want)
	}
	greedy := published
	greedy.Greedy = true
	w = weights{8.8, 0}
	w.update(&greedy, []float64{0.1, 1})
	if want := 0.9*8.8 + 8.8; math.Abs(w[0]-want) > 1e-9 {
		t.Errorf("greedy: l = %v, want %v", w[0], want)
	}
}

// Nothing overflows in long episodes with the most extreme settings.
func TestNoOverflow(t *testing.T) {
	for _, c := range []Config{published, {LR: 1e6, Decay: 1}, {LR: 1e6, Decay: 1, Greedy: true}, {LR: 0, Decay: 0}} {
		w := make(weights, 3)
		for i := range 1000 {
			w.update(&c, []float64{0, 1e-3, 1e30 * float64(i%2)})
			p := probabilities(w)
			if sum := p[0] + p[1] + p[2]; math.IsNaN(sum) || math.Abs(sum-1) > 1e-9 {
				t.Fatalf("%+v: l = %v, p = %v", c, w, p)
			}
		}
	}
}

func TestPickFollowsProbabilities(t *testing.T) {
	p, n := []float64{0.5, 0, 0.2, 0.3, 0}, make([]int, 5)
	s := rng.New(1).Stream()
	for range 10000 {
		n[pick(p, s)]++
	}
	chi := 0.0
	for k, want := range []float64{5000, 0, 2000, 3000, 0} {
		if want == 0 {
			if n[k] != 0 {
				t.Errorf("arm %d has no probability and was drawn %d times", k, n[k])
			}
			continue
		}
		chi += (float64(n[k]) - want) * (float64(n[k]) - want) / want
	}
	if chi > 13.8 { // two degrees of freedom, p > 0.001
		t.Errorf("%v, chi-square %v", n, chi)
	}
}

// EXP3 moves to the arm that pays, keeps exploring, and does not overflow over
// the largest number of test episodes.
func TestReturns(t *testing.T) {
	arms := []Arm{{Head: 0}, {Head: 1}, {Head: core.LiveHead}}
	b := newByReturns(arms, 2)
	heads := make([]int32, 2)
	for i := range 4096 {
		for s := range 2 {
			if err := b.StepHeads(&core.StepView{Episodes: []int{i}, T: s, Source: rng.New(3)}, heads); err != nil {
				t.Fatal(err)
			}
			if heads[0] != heads[1] || heads[0] != arms[b.arm].Head {
				t.Fatalf("heads %v with arm %d", heads, b.arm)
			}
		}
		e := &episode.Episode{T: 1, Reward: []float32{0}}
		if b.arm == 1 {
			e.Reward[0] = 2
		}
		if err := b.EpisodeEnded(i, e); err != nil {
			t.Fatal(err)
		}
	}
	told, err := b.TestFields()
	if err != nil {
		t.Fatal(err)
	}
	share := told["arms"].([]float64)
	if share[1] < 0.8 || share[0] < 0.03 || share[2] < 0.03 || math.Abs(share[0]+share[1]+share[2]-1) > 1e-12 {
		t.Errorf("shares %v, want about 0.07, 0.87 and 0.07", share)
	}
	if math.IsInf(b.w[1], 0) || math.IsNaN(b.w[1]) {
		t.Errorf("log weights %v", b.w)
	}
}

// One episode of EXP3 by hand: p = (1-g)/K + g/K = 1/2, w = exp(g x/(p K)).
func TestOneReturn(t *testing.T) {
	b := newByReturns([]Arm{{Head: 0}, {Head: 1}}, 4)
	if err := b.StepHeads(&core.StepView{Source: rng.New(1)}, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.EpisodeEnded(0, &episode.Episode{T: 2, Reward: []float32{1, 1}}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.w[b.arm], mixing*0.5/(0.5*2); math.Abs(got-want) > 1e-12 {
		t.Errorf("log weight %v, want %v", got, want)
	}
}

// scripted is a learner of two heads whose values and mixers are given.
type scripted struct {
	core.Learner
	q     [2]float32 // value of every action by head; the live head is 1
	aim   float32    // of the target network
	calls []core.JointStep
}

func (s *scripted) HeadValues(h *core.HeadStep) error {
	per := len(h.Q) / len(h.Heads)
	for i, k := range h.Heads {
		q := map[int32]float32{0: s.q[0], core.LiveHead: s.q[1], core.TargetHead: s.aim}[k]
		for j := range per {
			h.Q[i*per+j] = q + float32(j%2) // action 1 is greedy
		}
	}
	for j := range h.Hidden {
		h.Hidden[j]++
	}
	return nil
}

func (s *scripted) SaveMixer(int) error { return nil }

func (s *scripted) EpisodeValues([]*episode.Episode, []float32) ([][]float32, error) {
	return nil, errors.New("not asked for here")
}

func (s *scripted) JointValues(j *core.JointStep) error {
	c := *j
	c.State, c.Q, c.Actions = slices.Clone(j.State), slices.Clone(j.Q), slices.Clone(j.Actions)
	s.calls = append(s.calls, c)
	for i := range j.QTot {
		j.QTot[i] = 100*float32(j.Mixer) + j.Q[i*2+int(j.Actions[i])] + j.State[i]
	}
	return nil
}

// lanesOf is the first step of some episodes of one agent with two actions.
func lanesOf(episodes ...int) *core.StepView {
	n := len(episodes)
	return &core.StepView{
		Episodes: episodes, State: make([]float32, n), Avail: slices.Repeat([]uint8{1}, 2*n), Hidden: make([]float32, 2*n),
		Last: slices.Repeat([]int32{-1}, n), Reward: make([]float32, n), Source: rng.New(5),
		Spec: core.EnvSpec{Agents: 1, Actions: 2, StateWidth: 1},
	}
}

// play makes some steps in which action 1 is taken; it returns the heads of each.
func play(t *testing.T, b *byErrors, v *core.StepView, steps int) [][]int32 {
	t.Helper()
	var all [][]int32
	for v.T = range steps {
		heads := make([]int32, len(v.Episodes))
		if err := b.StepHeads(v, heads); err != nil {
			t.Fatal(err)
		}
		all = append(all, heads)
		v.Last = slices.Repeat([]int32{1}, len(v.Episodes))
	}
	return all
}

// A choice lasts for bandit_step steps. Between equal arms nearly every choice
// changes some of 20 lanes.
func TestStepsBetweenChoices(t *testing.T) {
	for _, step := range []int{1, 3} {
		c := published
		c.Step, c.Feedback = step, TDVDN
		b := newByErrors(c, &scripted{}, []Arm{{Head: 0}, {Head: core.LiveHead}}, 0.5)
		heads := play(t, b, lanesOf(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19), 13)
		for i := 1; i < len(heads); i++ {
			if same := slices.Equal(heads[i-1], heads[i]); same != (i%step != 0) {
				t.Errorf("bandit_step %d: heads %v at step %d, %v before", step, heads[i], i, heads[i-1])
			}
		}
	}
}

// With probability bandit_eps the arm is drawn uniformly, whatever the scores.
func TestEps(t *testing.T) {
	for _, eps := range []float64{0, 0.4, 1} {
		c := published
		c.Eps = eps
		b := newByErrors(c, &scripted{}, []Arm{{Head: 0}, {Head: core.LiveHead}}, 0.5)
		a, n := &lane{draw: rng.New(1).Stream(), l: weights{44, 8.8}}, 0
		for range 10000 {
			b.choose(a)
			n += a.arm
		}
		if math.Abs(float64(n)-5000*eps) > 200 {
			t.Errorf("bandit_eps %v: the arm without a chance was drawn %d times of 10000, want %v", eps, n, 5000*eps)
		}
	}
}

// Nothing of an episode is left in one that begins after it: its bandit is that
// of a test that begins with it.
func TestEveryEpisodeBeginsAnew(t *testing.T) {
	start := func() *byErrors {
		l := &scripted{q: [2]float32{5, 7}, aim: 11}
		return newByErrors(published, l, []Arm{{Head: 0, Mixer: 0}, {Head: core.LiveHead, Mixer: core.LiveHead}}, 0.5)
	}
	used, unused := start(), start()
	play(t, used, lanesOf(4), 5)
	used.EpisodeEnded(4, nil)
	play(t, used, lanesOf(9), 1)
	play(t, unused, lanesOf(9), 1)
	if len(used.free) != 0 || !reflect.DeepEqual(used.lanes[9], unused.lanes[9]) {
		t.Errorf("after another episode %+v, without %+v", *used.lanes[9], *unused.lanes[9])
	}
}

// Two steps of two episodes of one agent by hand: which values, states, mixers
// and actions enter the errors, and what becomes of the scores.
func TestErrorsByHand(t *testing.T) {
	l := &scripted{q: [2]float32{5, 7}, aim: 11}
	b := newByErrors(published, l, []Arm{{Head: 0, Mixer: 0}, {Head: core.LiveHead, Mixer: core.LiveHead}}, 0.5)
	heads := make([]int32, 2)
	view := lanesOf(4, 9)
	view.State = []float32{0.1, 0.2}
	if err := b.StepHeads(view, heads); err != nil {
		t.Fatal(err)
	}
	acted := []int{b.lanes[4].arm, b.lanes[9].arm}
	// In the next step action 1 is not available to the first.
	view.T, view.State, view.Avail = 1, []float32{0.3, 0.4}, []uint8{1, 0, 1, 1}
	view.Last, view.Reward = []int32{1, 0}, []float32{2, 3}
	if err := b.StepHeads(view, heads); err != nil {
		t.Fatal(err)
	}
	state, next := []float64{0.1, 0.2}, []float64{0.3, 0.4}
	for i, e := range []int{4, 9} {
		greedy := []float64{0, 1}[i]
		y := []float64{2, 3}[i] + 0.5*[]float64{
			0 + 5 + greedy + next[i],                                       // head 0, its own values and mixer
			100*float64(core.TargetHead) + 11 + greedy + next[i]}[acted[i]] // live head, the target's
		a := []float64{1, 0}[i]
		want := make(weights, 2)
		want.update(&published, []float64{
			math.Abs(0 + 5 + a + state[i] - y),
			math.Abs(100*float64(core.LiveHead) + 7 + a + state[i] - y)})
		for k := range want {
			if math.Abs(b.lanes[e].l[k]-want[k]) > 1e-4 {
				t.Errorf("episode %d, arm %d acted: l = %v, want %v", e, acted[i], b.lanes[e].l, want)
			}
		}
	}
	if b.lanes[4].target[0] != 2 || view.Hidden[0] != 0 {
		t.Errorf("recurrent states: target %v after two steps, the team's %v", b.lanes[4].target, view.Hidden)
	}
	b.EpisodeEnded(4, nil)
	if len(b.lanes) != 1 || len(b.free) != 1 {
		t.Error("an ended episode keeps its bandit")
	}
}

// The sum of values needs no mixer, and a learner that only acts is enough.
func TestSumOfValuesOnAnyLearner(t *testing.T) {
	l, spec := newMini(t)
	c := published
	c.Feedback = TDVDN
	if err := c.Check(l); err != nil {
		t.Fatal(err)
	}
	if err := published.Check(l); err == nil || !strings.Contains(err.Error(), "use td_vdn or return") {
		t.Errorf("a learner without mixers: %v", err)
	}
	b := newByErrors(c, l, []Arm{{Head: 0}, {Head: core.LiveHead}}, 0.9)
	v := &core.StepView{
		Episodes: []int{0}, Obs: make([]float32, 2*spec.ObsWidth), State: make([]float32, spec.StateWidth),
		Avail: slices.Repeat([]uint8{1}, 2*spec.Actions), Hidden: make([]float32, 2), Last: []int32{-1, -1}, Reward: []float32{0}, Source: rng.New(1), Spec: spec,
	}
	heads := make([]int32, 2)
	for v.T = range 3 {
		if err := b.StepHeads(v, heads); err != nil {
			t.Fatal(err)
		}
		v.Last = []int32{1, 2}
	}
	act := &core.ActStep{Lanes: 1, Obs: v.Obs, LastActions: v.Last, Heads: []int32{0, 0}, Hidden: make([]float32, 2), Q: make([]float32, len(v.Avail))}
	if err := l.Act(act); err != nil {
		t.Fatal(err)
	}
	q, err := b.values.taken(0, v, b.now)
	if want := float64(act.Q[1]) + float64(act.Q[spec.Actions+2]); err != nil || math.Abs(q[0]-want) > 1e-6 {
		t.Errorf("Q_tot %v, want the sum %v, %v", q, want, err)
	}
}

func newMini(t *testing.T) (core.Learner, core.EnvSpec) {
	t.Helper()
	env, err := mini.Env{}.Open("first", 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := mini.Learner{}.New(nil, env.Spec(), core.LearnerOptions{Source: rng.New(1), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.NewHead(core.HeadReset); err != nil {
		t.Fatal(err)
	}
	return l, env.Spec()
}

func TestPlan(t *testing.T) {
	l, spec := newMini(t)
	arms := []Arm{{Head: 0}, {Head: core.LiveHead}}
	c := Config{Feedback: Return}
	p, err := c.Plan(l, arms, spec, 0.9)
	if err != nil || p.Together != 1 || p.Stepper == nil {
		t.Errorf("plan %+v, %v", p, err)
	}
	spec = qlearntest.Spec(2) // states no largest return
	if _, err := c.Plan(l, arms, spec, 0.9); err == nil || !strings.Contains(err.Error(), "largest return, small does not") {
		t.Errorf("a task without a largest return: %v", err)
	}
}
