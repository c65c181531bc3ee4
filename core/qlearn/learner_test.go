package qlearn_test

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
)

// Acting along an episode gives the values of training, bit by bit.
func TestActEqualsTraining(t *testing.T) {
	for _, spec := range []core.EnvSpec{qlearntest.Spec(3), qlearntest.Entities(3, 4), qlearntest.Entities(2, 1), apart(3)} {
		t.Run(spec.Task, func(t *testing.T) { actEqualsTraining(t, spec) })
	}
}

func actEqualsTraining(t *testing.T, spec core.EnvSpec) {
	for _, c := range []core.Settings{
		with(), with("obs_last_action", false, "feature_scale", 0.2), with("obs_agent_id", false), with("attn_mask_invisible", true),
	} {
		l := learner(t, "vdn", spec, c, 2)
		l.SetLR(0)
		eps := batches(1, spec, 1, 3)[0]
		train(t, l, eps)
		values := map[[2]int64][]float32{}
		for _, k := range l.LastStep() {
			values[[2]int64{k.Episode, int64(k.T)}] = k.Values
		}
		for _, e := range eps {
			step := newActStep(l, spec, 1)
			for u := range e.T {
				step.Obs = e.Obs[u*spec.Agents*spec.ObsWidth : (u+1)*spec.Agents*spec.ObsWidth]
				must(t, l.Act(step))
				avail := e.Avail[u*len(step.Q) : (u+1)*len(step.Q)]
				got, want := available(step.Q, avail), available(values[[2]int64{e.Index, int64(u)}], avail)
				if !slices.Equal(got, want) {
					t.Fatalf("episode %d, step %d: acting %v, training %v", e.Index, u, got, want)
				}
				copy(step.LastActions, e.Actions[u*spec.Agents:])
			}
		}
	}
}

// feature_scale is a factor on observations and states, in acting, training and
// valuing alike.
func TestFeatureScale(t *testing.T) {
	const scale = 0.2
	scaled := func(x []float32) []float32 {
		y := slices.Clone(x)
		for i := range y {
			y[i] *= scale
		}
		return y
	}
	for _, spec := range []core.EnvSpec{qlearntest.Spec(2), qlearntest.Entities(2, 3)} {
		for _, mixer := range []string{"vdn", "qmix", "qplex"} {
			a, b := learner(t, mixer, spec, with("feature_scale", scale), 1), learner(t, mixer, spec, with("feature_scale", 1.0), 1)
			eps := batches(1, spec, 1, 5)[0]
			var small []*episode.Episode
			for _, e := range eps {
				c := *e
				c.Obs, c.State = scaled(e.Obs), scaled(e.State)
				small = append(small, &c)
			}
			if x, y := train(t, a, eps), train(t, b, small); x != y {
				t.Errorf("%s, %s: trained with %+v, with scaled features %+v", mixer, spec.Task, x, y)
			}
			x, y := newActStep(a, spec, 2), newActStep(b, spec, 2)
			y.Obs = scaled(x.Obs)
			must(t, a.Act(x))
			must(t, b.Act(y))
			if !slices.Equal(x.Q, y.Q) {
				t.Errorf("%s, %s: values %v, of scaled features %v", mixer, spec.Task, x.Q, y.Q)
			}
			j := &core.JointStep{Lanes: 2, Mixer: core.LiveHead, State: eps[0].State[:2*spec.StateWidth], Avail: slices.Repeat([]uint8{1}, 4*spec.Actions),
				Q: x.Q, Actions: make([]int32, 4), QTot: make([]float32, 2)}
			k := *j
			k.State, k.QTot = scaled(j.State), make([]float32, 2)
			must(t, a.JointValues(j))
			must(t, b.JointValues(&k))
			if !slices.Equal(j.QTot, k.QTot) {
				t.Errorf("%s, %s: joint values %v, of scaled features %v", mixer, spec.Task, j.QTot, k.QTot)
			}
		}
	}
}

// Agents with equal observations differ by their ids alone; without ids,
// swapping observations swaps values.
func TestAgentIDs(t *testing.T) {
	spec := qlearntest.Spec(2)
	o, A := spec.ObsWidth, spec.Actions
	act := func(id bool, obs []float32) []float32 {
		l := learner(t, "vdn", spec, with("obs_agent_id", id), 1)
		step := newActStep(l, spec, 1)
		step.Obs = obs
		must(t, l.Act(step))
		return step.Q
	}
	obs := qlearntest.Normals(rng.New(1).Stream(), 2*o)
	swapped := append(slices.Clone(obs[o:]), obs[:o]...)
	a, b := act(false, obs), act(false, swapped)
	if !slices.Equal(a[:A], b[A:]) || !slices.Equal(a[A:], b[:A]) {
		t.Error("without ids, swapping observations must swap values")
	}
	equal := append(slices.Clone(obs[:o]), obs[:o]...)
	if q := act(false, equal); !slices.Equal(q[:A], q[A:]) {
		t.Error("without ids, agents that see the same must act the same")
	}
	if q := act(true, equal); slices.Equal(q[:A], q[A:]) {
		t.Error("ids have no effect")
	}
}

func TestActRefuses(t *testing.T) {
	spec := qlearntest.Spec(2)
	l := learner(t, "vdn", spec, with(), 1)
	for want, spoil := range map[string]func(*core.ActStep){
		"observations":  func(s *core.ActStep) { s.Obs = s.Obs[1:] },
		"hidden states": func(s *core.ActStep) { s.Hidden = nil },
		"action values": func(s *core.ActStep) { s.Q = s.Q[:3] },
		"last action 4": func(s *core.ActStep) { s.LastActions[1] = 4 },
		"heads":         func(s *core.ActStep) { s.Heads = []int32{-1} },
	} {
		step := newActStep(l, spec, 1)
		spoil(step)
		if err := l.Act(step); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestActDoesNotAllocate(t *testing.T) {
	for _, spec := range []core.EnvSpec{qlearntest.Spec(2), qlearntest.Entities(2, 3), apart(2)} {
		t.Run(spec.Task, func(t *testing.T) { actDoesNotAllocate(t, spec) })
	}
}

func actDoesNotAllocate(t *testing.T, spec core.EnvSpec) {
	l := learner(t, "vdn", spec, with(), 1)
	newHead(t, l, core.HeadReset)
	step := newActStep(l, spec, 4)
	step.Heads = []int32{0, 0, -1, -1, 0, -1, 0, 0}
	must(t, l.Act(step))
	if n := testing.AllocsPerRun(50, func() { _ = l.Act(step) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Any number of episodes makes a batch, larger ones than before too.
func TestBatchSizes(t *testing.T) {
	spec := qlearntest.Spec(2)
	l := learner(t, "qmix", spec, with(), 2)
	s := rng.New(1).Stream()
	for _, n := range []int{1, 32, 2, 33, 3, 1} {
		if st := train(t, l, qlearntest.Episodes(s, spec, n)); math.IsNaN(st.Loss) || st.GradNorm == 0 {
			t.Errorf("%d episodes: %+v", n, st)
		}
	}
}

// Nothing but the weights is kept from step to step: the same batch with a step
// size of zero gives the same numbers for ever, and memory stays.
func TestNoStateBetweenSteps(t *testing.T) {
	spec := qlearntest.Spec(2)
	for _, mixer := range []string{"vdn", "qmix", "qplex"} {
		l := learner(t, mixer, spec, with("lr", 0.0), 2)
		eps := qlearntest.Episodes(rng.New(1).Stream(), spec, 8)
		first := train(t, l, eps)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range 200 {
			if st := train(t, l, eps); st != first {
				t.Fatalf("%s: %+v, at first %+v", mixer, st, first)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<19 {
			t.Errorf("%s: the heap grew by %d bytes", mixer, grown)
		}
	}
}

// A step on one thread allocates nothing once its largest batch has been seen.
func TestTrainDoesNotAllocate(t *testing.T) {
	for _, spec := range []core.EnvSpec{qlearntest.Spec(2), apart(2)} {
		spec.Limit = 40
		for _, mixer := range []string{"vdn", "qmix", "qplex"} {
			l := learner(t, mixer, spec, with(), 1)
			s := rng.New(1).Stream()
			for _, T := range []int{40, 2} {
				var eps []*episode.Episode
				for i := range 16 {
					eps = append(eps, qlearntest.Episode(s, spec, T, int64(i)))
				}
				train(t, l, eps)
				if n := testing.AllocsPerRun(20, func() { train(t, l, eps) }); n != 0 {
					t.Errorf("%s %s: %v allocations with %d steps, want none", spec.Task, mixer, n, T)
				}
			}
		}
	}
}

func TestSameSeedSameLearner(t *testing.T) {
	spec := qlearntest.Spec(2)
	a, b := learner(t, "qplex", spec, with(), 1), learner(t, "qplex", spec, with(), 2)
	if !slices.Equal(bytesOf(t, a), bytesOf(t, b)) {
		t.Error("the start depends on the number of threads")
	}
	s, err := qlearntest.Settings(with())
	must(t, err)
	other, err := qlearn.New(s, spec, core.LearnerOptions{Source: rng.New(8), Threads: 1}, mixers["vdn"])
	must(t, err)
	if slices.Equal(other.Parameters(core.ScopeAgent, nil), a.Parameters(core.ScopeAgent, nil)) {
		t.Error("the seed has no effect")
	}
}

// A task of other shapes is refused by name, another limit is not.
func TestSetTask(t *testing.T) {
	spec := qlearntest.Spec(2)
	l := learner(t, "qmix", spec, with(), 1)
	wide := spec
	wide.Task, wide.StateWidth = "wide", 7
	if err := l.SetTask(wide); err == nil || !strings.Contains(err.Error(), "toy/wide") || !strings.Contains(err.Error(), "toy/small") {
		t.Errorf("error %v", err)
	}
	empty := spec
	empty.Limit = 0
	if l.SetTask(empty) == nil {
		t.Error("took a task without a limit")
	}
	longer := spec
	longer.Task, longer.Limit = "longer", 20
	long := qlearntest.Episode(rng.New(1).Stream(), longer, 20, 0)
	if _, err := l.Train([]*episode.Episode{long}); err == nil || !strings.Contains(err.Error(), "20 transitions") {
		t.Errorf("error %v", err)
	}
	must(t, l.SetTask(longer))
	train(t, l, []*episode.Episode{long})
}

// A step that would not be finite is an error and is not made.
func TestInfiniteStep(t *testing.T) {
	spec := qlearntest.Spec(2)
	l := learner(t, "qmix", spec, with(), 1)
	e := qlearntest.Episode(rng.New(1).Stream(), spec, 3, 0)
	e.Reward[1] = float32(math.Inf(1))
	before := bytesOf(t, l)
	if _, err := l.Train([]*episode.Episode{e}); err == nil || !strings.Contains(err.Error(), "the step was not made") {
		t.Errorf("error %v", err)
	}
	if !slices.Equal(before, bytesOf(t, l)) {
		t.Error("a refused step changed the learner")
	}
	if _, err := l.Train(nil); err == nil {
		t.Error("trained on no episodes")
	}
}

func TestBadOptions(t *testing.T) {
	spec := qlearntest.Spec(2)
	s, err := qlearntest.Settings(nil)
	must(t, err)
	if _, err := qlearn.New(s, spec, core.LearnerOptions{Threads: 3}, mixers["vdn"]); err == nil || !strings.Contains(err.Error(), "3 threads") {
		t.Errorf("error %v", err)
	}
	delete(s, "gamma")
	if _, err := qlearn.New(s, spec, core.LearnerOptions{Threads: 1}, mixers["vdn"]); err == nil || !strings.Contains(err.Error(), "gamma") {
		t.Errorf("error %v", err)
	}
}

func TestUnsoundEpisodes(t *testing.T) {
	spec := qlearntest.Spec(2)
	l := learner(t, "vdn", spec, with(), 1)
	for want, spoil := range map[string]func(*episode.Episode){
		"reward has 4 values":                            func(e *episode.Episode) { e.Reward = e.Reward[:4] },
		"episode 3 of task 0, step 2, agent 1: action 4": func(e *episode.Episode) { e.Actions[5] = 4 },
		"4 actions, observations of 5":                   func(e *episode.Episode) { e.StateWidth, e.State = 2, e.State[:2*6] },
	} {
		e := qlearntest.Episode(rng.New(1).Stream(), spec, 5, 3)
		spoil(e)
		if _, err := l.Train([]*episode.Episode{e}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		if _, err := l.Importance([]*episode.Episode{e}, core.ImportanceTDLoss); err == nil {
			t.Errorf("importance of an episode with: %s", want)
		}
	}
}

// badMixer reads the state as if it were values.
type badMixer struct{}

func (badMixer) QTot(m *qlearn.Mixing) (*nn.Value, error) {
	sum := m.Apply(nn.WeightedSum(1), m.State())
	return m.Result(m.Apply(nn.WeightedSum(1), sum))
}

// The fault of a mixer is an error that names the task and the operation.
func TestFaultyMixer(t *testing.T) {
	spec := qlearntest.Spec(2)
	s, err := qlearntest.Settings(with())
	must(t, err)
	plan := func(*nn.Layout, core.EnvSpec) (qlearn.Mixer, error) { return badMixer{}, nil }
	l, err := qlearn.New(s, spec, core.LearnerOptions{Source: rng.New(1), Threads: 1}, plan)
	must(t, err)
	_, err = l.Train(batches(1, spec, 1, 2)[0])
	for _, want := range []string{"toy/small", "mixer", "weighted sum", "not a scalar"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	refused := func(*nn.Layout, core.EnvSpec) (qlearn.Mixer, error) { return nil, errors.New("no such team") }
	if _, err := qlearn.New(s, spec, core.LearnerOptions{Source: rng.New(1), Threads: 1}, refused); err == nil || !strings.Contains(err.Error(), "no such team") {
		t.Errorf("error %v", err)
	}
}
