package agem

import (
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/core/nn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/learners/qmix"
	"macpro/plugins/learners/vdn"
)

var few = []any{"agem_batch", 4, "memory_size", 24}

func TestConformance(t *testing.T) {
	conform.MethodOn(t, methodtest.Subject(t, Plugin{}, vdn.Plugin{}, few...))
}

func TestWithoutMemoryItIsFinetuning(t *testing.T) {
	methodtest.Likewise(t, Plugin{}, finetuning.Plugin{}, qmix.Plugin{}, "agem_batch", 4, true, "memory_size", 24)
}

// A gradient against that of earlier tasks loses the part along it, by hand:
// g = (1, 0), g_ref = (-1, 1) gives (1, 0) + 1/2 (-1, 1).
func TestProjection(t *testing.T) {
	for _, c := range []struct {
		g, ref, want []float32
		bent         bool
	}{
		{[]float32{1, 0}, []float32{-1, 1}, []float32{0.5, 0.5}, true},
		{[]float32{-2, 0, 4}, []float32{1, 0, 0}, []float32{0, 0, 4}, true},
		{[]float32{1, 0}, []float32{1, 1}, []float32{1, 0}, false},
		{[]float32{1, 0}, []float32{0, 1}, []float32{1, 0}, false},
		{[]float32{1, 0}, []float32{0, 0}, []float32{1, 0}, false},
	} {
		g := slices.Clone(c.g)
		if bent := project(g, c.ref); bent != c.bent || !slices.Equal(g, c.want) {
			t.Errorf("%v against %v: %v, projected: %v, want %v, %v", c.g, c.ref, g, bent, c.want, c.bent)
		}
	}
}

// In the second of two tasks of unlike sizes no step opposes the gradient of the
// memory's episodes, and some would have.
func TestStepsDoNotOppose(t *testing.T) {
	tasks := []core.EnvSpec{qlearntest.Entities(2, 3), qlearntest.Entities(3, 2)}
	s := methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "agem_batch", 8, "memory_size", 8, "entity_embed_dim", 5, "attn_fc_mult", 2).Settings
	l, err := qmix.Plugin{}.New(s, tasks[0], core.LearnerOptions{Source: rng.New(1), Threads: 1, Tasks: tasks})
	if err != nil {
		t.Fatal(err)
	}
	made, err := Plugin{}.New(s, core.Services{Learner: l, Source: rng.New(2), Journal: &conform.Record{}, Tasks: tasks})
	if err != nil {
		t.Fatal(err)
	}
	m := made.(*method)
	editor := core.AbilitiesOf(l).Gradients
	for i, spec := range tasks {
		if err := m.BeginTask(core.Task{Index: i, Spec: spec}, core.Progress{}); err != nil {
			t.Fatal(err)
		}
		eps := qlearntest.Episodes(rng.New(uint64(i)).Stream(), spec, 8)
		for _, e := range eps {
			e.Task = i
			if i == 0 { // all of the memory's episodes are those of the first task
				m.memory.Insert(e)
			}
		}
		for range 30 {
			before, err := editor.Gradient(core.ScopeAll, eps, nil)
			if err != nil {
				t.Fatal(err)
			}
			after := slices.Clone(before)
			if err := m.edit(after); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				if !slices.Equal(before, after) {
					t.Fatal("a gradient of the first task was edited")
				}
			} else if along := nn.Dot(after, m.ref); along < -1e-5*math.Sqrt(nn.SumSq(after)*nn.SumSq(m.ref)) {
				t.Errorf("an edited gradient opposes that of the memory: %v", along)
			} else if opposed := nn.Dot(before, m.ref) < 0; opposed == slices.Equal(before, after) {
				t.Errorf("a gradient that opposed the memory's: %v was left alone: %v", opposed, !opposed)
			}
			if _, err := l.Train(eps); err != nil {
				t.Fatal(err)
			}
		}
	}
	if m.bent == 0 {
		t.Error("no gradient was projected")
	}
}

// A learner that shows no gradients is refused in one sentence.
func TestNeedsGradients(t *testing.T) {
	x := methodtest.Subject(t, Plugin{}, mini.Learner{}, few...)
	_, err := (&conform.Record{}).Runner(continual.Options{Env: x.Env, Learner: x.Learner, Method: x.Plugin, Settings: x.Settings})
	if err == nil || !strings.Contains(err.Error(), "gradients") || !strings.Contains(err.Error(), "mini-learner") {
		t.Errorf("a run with the mini-learner: %v", err)
	}
}

// On battles of teams of unlike size it rehearses and resumes as well.
func TestBattles(t *testing.T) { methodtest.Battles(t, Plugin{}, "agem_batch", 2, "memory_size", 8) }
