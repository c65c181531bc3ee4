package clonex

import (
	"math"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/episode"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/learners/qmix"
	"macpro/plugins/learners/vdn"
)

func TestConformance(t *testing.T) {
	for _, loss := range []string{"kl", "mse"} {
		t.Run(loss, func(t *testing.T) {
			conform.MethodOn(t, methodtest.Subject(t, Plugin{}, vdn.Plugin{}, "clone_loss", loss, "clone_episodes", 6, "clone_batch", 4))
		})
	}
}

func TestWithoutCoefItIsFinetuning(t *testing.T) {
	methodtest.Likewise(t, Plugin{}, finetuning.Plugin{}, qmix.Plugin{}, "clone_coef", 1.0, true, "clone_episodes", 6, "clone_batch", 4)
}

// The term of a step, by hand: two episodes of D without targets and three kept ones
// with the values that the network had at the end of their own task.
func TestTerm(t *testing.T) {
	l := &methodtest.Fake{}
	s := methodtest.Settings(t, Plugin{}, "batch_size", 2, "buffer_size", 8, "clone_coef", 0.5, "clone_loss", "kl",
		"clone_temperature", 0.25, "clone_episodes", 4, "clone_batch", 3)
	m, err := Plugin{}.New(s, core.Services{Learner: l, Source: rng.New(1), Tasks: make([]core.EnvSpec, 3)})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for task := range 3 {
		l.Values = []float32{float32(10 + task)}
		l.Task(t, m, task, 5, func() {
			for range 20 {
				l.Term = nil
				b, err := m.NextBatch()
				if err != nil {
					t.Fatal(err)
				}
				if task == 0 {
					if len(b) != 2 || l.Term != nil {
						t.Fatalf("in the first task %d episodes and the term %+v", len(b), l.Term)
					}
					continue
				}
				x := l.Term
				if len(b) != 5 || x == nil || len(x.Targets) != 5 || x.Loss != core.ValueKL || x.Temperature != 0.25 || x.Coef != 0.5 || !x.Only {
					t.Fatalf("%d episodes and the term %+v", len(b), x)
				}
				for i, e := range b {
					if i < 2 && (e.Task != task || x.Targets[i] != nil) ||
						i >= 2 && (e.Task >= task || !slices.Equal(x.Targets[i], []float32{float32(10 + e.Task)})) {
						t.Fatalf("task %d: episode %d is of task %d and has the targets %v", task, i, e.Task, x.Targets[i])
					}
					seen[e.Task] = true
				}
			}
		})
		if got := m.(*method).kept.len(); got != 4*(task+1) || l.Teacher != nil {
			t.Errorf("%d episodes are kept after task %d, with values of %v", got, task, l.Teacher)
		}
	}
	if len(seen) != 3 {
		t.Errorf("episodes of tasks %v were in batches", seen)
	}
}

// drift is how far the values of an earlier task's episodes are from those at its
// end after 60 steps in another task, of another size, with the given weight.
func drift(t *testing.T, coef float64, loss string) float64 {
	t.Helper()
	tasks := []core.EnvSpec{qlearntest.Entities(2, 3), qlearntest.Entities(3, 2)}
	s := methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "clone_coef", coef, "clone_loss", loss, "clone_temperature", 1.0, "clone_episodes", 8,
		"clone_batch", 8, "batch_size", 4, "lr", 0.002, "entity_embed_dim", 5, "attn_fc_mult", 2).Settings
	l, err := qmix.Plugin{}.New(s, tasks[0], core.LearnerOptions{Source: rng.New(1), Threads: 1, Tasks: tasks})
	if err != nil {
		t.Fatal(err)
	}
	made, err := Plugin{}.New(s, core.Services{Learner: l, Source: rng.New(2), Tasks: tasks})
	if err != nil {
		t.Fatal(err)
	}
	m := made.(*method)
	valuer := core.AbilitiesOf(l).Valuer
	var old []*episode.Episode
	var kept [][]float32
	for i, spec := range tasks {
		if err := m.BeginTask(core.Task{Index: i, Spec: spec}, core.Progress{}); err != nil {
			t.Fatal(err)
		}
		eps := qlearntest.Episodes(rng.New(uint64(i)).Stream(), spec, 8)
		for _, e := range eps {
			e.Task = i
			if err := m.Collected(e, core.Progress{}); err != nil {
				t.Fatal(err)
			}
		}
		for range 60 {
			b, err := m.NextBatch()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := l.Train(b); err != nil {
				t.Fatal(err)
			}
		}
		if i > 0 {
			break
		}
		old = eps
		if kept, err = valuer.EpisodeValues(eps, nil); err != nil {
			t.Fatal(err)
		}
		if err := m.EndTask(core.Progress{}); err != nil {
			t.Fatal(err)
		}
		for k := range m.kept.values {
			e := m.kept.ring.At(k)
			if want := kept[e.Index]; !slices.Equal(m.kept.values[k], want) {
				t.Fatalf("kept values of episode %d are not those at the task's end", e.Index)
			}
		}
	}
	now, err := valuer.EpisodeValues(old, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum, n := 0.0, 0
	for i, e := range old {
		for j, x := range now[i] {
			if e.Avail[j] != 0 {
				sum += float64(x-kept[i][j]) * float64(x-kept[i][j])
				n++
			}
		}
	}
	return math.Sqrt(sum / float64(n))
}

// Cloned values stay where the task has left them while another is learned.
func TestClonedValuesStay(t *testing.T) {
	free := drift(t, 0, "mse")
	if held := drift(t, 30, "mse"); held > free/2 {
		t.Errorf("values moved by %v, without cloning by %v", held, free)
	}
	if held := drift(t, 30, "kl"); held == free {
		t.Error("cloning of policies changes nothing")
	}
}

// On battles of teams of unlike size it rehearses and resumes as well.
func TestBattles(t *testing.T) {
	methodtest.Battles(t, Plugin{}, "clone_batch", 2, "clone_episodes", 2)
}
