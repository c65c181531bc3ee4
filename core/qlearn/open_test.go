package qlearn_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
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

// still are settings under which a step changes nothing but the optimiser.
func still(pairs ...any) core.Settings {
	return with(append([]any{"lr", 0.0, "grad_norm_clip", 0.0}, pairs...)...)
}

// subjects are the kinds of agent networks.
func subjects() map[string]core.EnvSpec {
	return map[string]core.EnvSpec{"flat": qlearntest.Spec(2), "entities": qlearntest.Entities(2, 3), separate: apart(2)}
}

// open calls do for all kinds of agents, each with a mixer and some episodes.
func open(t *testing.T, s core.Settings, do func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode)) {
	t.Helper()
	for name, spec := range subjects() {
		t.Run(name, func(t *testing.T) {
			do(t, learner(t, "qmix", spec, s, 1), qlearntest.Episodes(rng.New(5).Stream(), spec, 5))
		})
	}
}

// taken catches the gradient that a step is made of, after the hook.
func taken(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) []float32 {
	t.Helper()
	var g []float32
	must(t, l.SetGradientHook(func(x []float32) error { g = slices.Clone(x); return nil }))
	train(t, l, eps)
	must(t, l.SetGradientHook(nil))
	return g
}

// The gradient is that of a step, of any scope, behind what was there, and
// nothing of the learner is changed.
func TestGradientIsThatOfAStep(t *testing.T) {
	for name, spec := range subjects() {
		for _, mixer := range []string{"vdn", "qmix", "qplex"} {
			for threads := 1; threads <= 2; threads++ {
				l := learner(t, mixer, spec, still("clip_scope", "total"), threads)
				eps := qlearntest.Episodes(rng.New(5).Stream(), spec, 5)
				before := bytesOf(t, l)
				got, err := l.Gradient(core.ScopeAll, eps, []float32{7})
				must(t, err)
				if !bytes.Equal(before, bytesOf(t, l)) {
					t.Fatalf("%s %s: asking for a gradient changed the learner", name, mixer)
				}
				want := taken(t, l, eps)
				if got[0] != 7 || !slices.Equal(got[1:], want) || nn.SumSq(want) == 0 {
					t.Errorf("%s %s on %d threads: the gradient is not that of a step", name, mixer, threads)
				}
				n := len(l.Parameters(core.ScopeFeatures, nil))
				for scope, part := range map[core.Scope][]float32{
					core.ScopeFeatures: want[:n], core.ScopeHead: want[n:len(l.Parameters(core.ScopeAgent, nil))],
				} {
					if g, err := l.Gradient(scope, eps, nil); err != nil || !slices.Equal(g, part) {
						t.Errorf("%s %s: scope %s: not its part of the gradient, %v", name, mixer, scope, err)
					}
				}
			}
		}
	}
}

// A step computes the same bits whatever was asked in between.
func TestQuestionsLeaveStepsAlone(t *testing.T) {
	open(t, with(), func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) {
		spec := subjects()[strings.Split(t.Name(), "/")[1]]
		plain := learner(t, "qmix", spec, with(), 1)
		for range 3 {
			train(t, plain, eps)
			train(t, l, eps)
			_, err := l.Gradient(core.ScopeAll, eps[:2], nil)
			must(t, err)
			_, err = l.Activity(eps[1:], core.ActivityQuery{MeanAbs: true, Zeros: true, Gram: true})
			must(t, err)
			_, err = l.EpisodeValues(eps, slices.Repeat([]float32{0.1}, len(l.Parameters(core.ScopeAgent, nil))))
			must(t, err)
			importance(t, l, eps, core.ImportanceValues)
			must(t, l.SetGradientHook(func([]float32) error { return nil }))
			must(t, l.SetFrozen(make([]bool, len(l.Parameters(core.ScopeAgent, nil)))))
		}
		if !bytes.Equal(bytesOf(t, plain), bytesOf(t, l)) {
			t.Error("questions, a hook that does nothing and marks on no parameter changed a step")
		}
	})
}

// A batch of several tasks has the gradient of their steps, weighed by
// transitions, on battles of unlike sizes as well.
func TestMixedBatch(t *testing.T) {
	tasks := []core.EnvSpec{qlearntest.Entities(2, 3), qlearntest.Entities(3, 2), qlearntest.Entities(4, 4)}
	s, err := qlearntest.Settings(still())
	must(t, err)
	for threads := 1; threads <= 2; threads++ {
		l, err := qlearn.New(s, tasks[0], core.LearnerOptions{Source: rng.New(7), Threads: threads, Tasks: tasks}, mixers["qmix"])
		must(t, err)
		var batch []*episode.Episode
		var want []float64
		steps := 0
		for i, spec := range tasks {
			eps := qlearntest.Episodes(rng.New(uint64(i)).Stream(), spec, 3)
			k := 0
			for _, e := range eps {
				e.Task = i
				k += e.T
			}
			g, err := l.Gradient(core.ScopeAll, eps, nil)
			must(t, err)
			if want == nil {
				want = make([]float64, len(g))
			}
			for j, x := range g {
				want[j] += float64(k) * float64(x)
			}
			batch, steps = append(batch, eps...), steps+k
		}
		for j := range want {
			want[j] /= float64(steps)
		}
		slices.Reverse(batch)
		batch[1], batch[5] = batch[5], batch[1]
		if d := worst(taken(t, l, batch), want); d > 1e-4 {
			t.Errorf("relative difference %.1e", d)
		}
		batch[4].Task = 3
		if _, err := l.Train(batch); err == nil || !strings.Contains(err.Error(), "task 3") {
			t.Errorf("an episode of a task that is not there: %v", err)
		}
	}
}

// The hook sees the gradient and what it leaves there is what the step is made
// of; its error is the step's, and nothing has changed then. It may ask for
// another gradient meanwhile.
func TestGradientHook(t *testing.T) {
	open(t, with("grad_norm_clip", 0.0), func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) {
		want, err := l.Gradient(core.ScopeAll, eps, nil)
		must(t, err)
		other, err := l.Gradient(core.ScopeAll, eps[:1], nil)
		must(t, err)
		before := l.Parameters(core.ScopeAll, nil)
		must(t, l.SetGradientHook(func(g []float32) error {
			ref, err := l.Gradient(core.ScopeAll, eps[:1], nil)
			must(t, err)
			if !slices.Equal(g, want) || !slices.Equal(ref, other) {
				t.Error("the hook does not see the gradients")
			}
			clear(g[1:])
			g[0] = 2
			return nil
		}))
		st := train(t, l, eps)
		after := l.Parameters(core.ScopeAll, nil)
		if st.GradNorm != 2 || after[0] >= before[0] || !slices.Equal(before[1:], after[1:]) {
			t.Errorf("a gradient of (2, 0, ...) has a norm of %v and moved parameter 0 from %v to %v", st.GradNorm, before[0], after[0])
		}
		state := bytesOf(t, l)
		sorry := errors.New("sorry")
		must(t, l.SetGradientHook(func(g []float32) error { clear(g); return sorry }))
		if _, err := l.Train(eps); !errors.Is(err, sorry) || !bytes.Equal(state, bytesOf(t, l)) {
			t.Errorf("the error of a hook: %v", err)
		}
	})
}

// The hook sees the gradient of the loss without penalties. They come after it, and
// the clip sees both, by hand: (2, 0, ...) and a pull of (0, -1, 0, ...).
func TestHookComesBeforePenaltiesAndClip(t *testing.T) {
	open(t, with("lr", 0.0, "grad_norm_clip", 1.0, "clip_scope", "total"), func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) {
		want, err := l.Gradient(core.ScopeAll, eps, nil)
		must(t, err)
		anchor := l.Parameters(core.ScopeAgent, nil)
		anchor[1]++
		must(t, l.SetPenalties([]core.Penalty{{Scope: core.ScopeAgent, Anchor: anchor, Coef: 0.5}}))
		must(t, l.SetGradientHook(func(g []float32) error {
			if !slices.Equal(g, want) {
				t.Error("the hook does not see the gradient of the TD loss")
			}
			clear(g)
			g[0] = 2
			return nil
		}))
		st := train(t, l, eps)
		norm := math.Sqrt(5)
		if math.Abs(st.GradNorm-norm) > 1e-5 || math.Abs(st.Clip-1/norm) > 1e-5 {
			t.Errorf("norm %v and clip %v, want %v and %v", st.GradNorm, st.Clip, norm, 1/norm)
		}
		for j, g := range flat(l.Gradients()) {
			by := []float64{2 / norm, -1 / norm, 0}[min(j, 2)]
			if math.Abs(float64(g)-by) > 1e-5 {
				t.Fatalf("parameter %d: the step is made of %v, want %v", j, g, by)
			}
		}
	})
}

// Fixed parameters stay over 1,000 steps, a pull on them and a resume, while all
// others move, and have no part in the norm.
func TestFrozenNeverMoves(t *testing.T) {
	open(t, with("lr", 0.01), func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) {
		start := l.Parameters(core.ScopeAgent, nil)
		frozen := make([]bool, len(start))
		draw := rng.New(1).Stream()
		for j := range frozen {
			frozen[j] = draw.Intn(2) == 0
		}
		must(t, l.SetFrozen(frozen))
		must(t, l.SetPenalties([]core.Penalty{{Scope: core.ScopeAgent, Anchor: make([]float32, len(start)), Coef: 0.1}}))
		for i := range 1000 {
			train(t, l, eps)
			if i == 500 {
				again := learner(t, "qmix", subjects()[strings.Split(t.Name(), "/")[1]], with("lr", 0.01), 1)
				must(t, again.Load(bytes.NewReader(bytesOf(t, l))))
				must(t, again.SetFrozen(frozen))
				l = again
			}
		}
		still := 0
		for j, x := range l.Parameters(core.ScopeAgent, nil) {
			switch {
			case frozen[j] && x != start[j]:
				t.Fatalf("fixed parameter %d went from %v to %v", j, start[j], x)
			case !frozen[j] && x == start[j]:
				still++
			}
		}
		if still > len(start)/20 {
			t.Errorf("%d of %d parameters did not move at all", still, len(start))
		}
		must(t, l.SetFrozen(slices.Repeat([]bool{true}, len(start))))
		free, err := l.Gradient(core.ScopeAll, eps, nil)
		must(t, err)
		if st, want := train(t, l, eps), math.Sqrt(nn.SumSq(free[len(start):])); math.Abs(st.GradNorm-want) > 1e-5*want {
			t.Errorf("with a fixed agent the norm is %v, that of the mixer's gradient %v", st.GradNorm, want)
		}
	})
}

// Parameters are written as they are read.
func TestSetParameters(t *testing.T) {
	open(t, with(), func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) {
		for _, scope := range []core.Scope{core.ScopeFeatures, core.ScopeHead, core.ScopeAgent, core.ScopeAll} {
			train(t, l, eps)
			was, q := l.Parameters(scope, nil), firstValues(t, l, eps)
			train(t, l, eps)
			must(t, l.SetParameters(scope, was))
			if !slices.Equal(l.Parameters(scope, nil), was) {
				t.Errorf("scope %s does not come back", scope)
			}
			if same := slices.Equal(q, firstValues(t, l, eps)); same != (scope == core.ScopeAgent || scope == core.ScopeAll) {
				t.Errorf("scope %s was restored, values are those of before: %v", scope, same)
			}
			was[1] = float32(math.Inf(1))
			for want, bad := range map[string][]float32{"+Inf": was, fmt.Sprint(len(was)): was[1:]} {
				if err := l.SetParameters(scope, bad); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("scope %s: %v, want %q", scope, err, want)
				}
			}
		}
	})
}

// firstValues are the action values of the first episode.
func firstValues(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) []float32 {
	t.Helper()
	q, err := l.EpisodeValues(eps[:1], nil)
	must(t, err)
	return q[0]
}

// Abilities that were used and taken away cost a step no memory.
func TestUnusedAbilitiesAllocateNothing(t *testing.T) {
	open(t, with(), func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) {
		used(t, l, eps)
		if n := testing.AllocsPerRun(20, func() { train(t, l, eps) }); n != 0 {
			t.Errorf("%v allocations in a step", n)
		}
	})
}

// used uses everything that shapes a step, once, and takes it away.
func used(t testing.TB, l *qlearn.Learner, eps []*episode.Episode) {
	t.Helper()
	q, err := l.EpisodeValues(eps, nil)
	must(t, err)
	must(t, l.SetValueTerm(core.ValueTerm{Loss: core.ValueMSE, Coef: 1, Targets: q}))
	must(t, l.SetGradientHook(func([]float32) error { return nil }))
	must(t, l.SetFrozen(make([]bool, len(l.Parameters(core.ScopeAgent, nil)))))
	train(t, l, eps)
	must(t, l.SetGradientHook(nil))
	must(t, l.SetFrozen(nil))
	train(t, l, eps)
}
