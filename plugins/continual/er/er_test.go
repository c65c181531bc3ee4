package er

import (
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/episode"
	"macpro/core/rng"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/learners/qmix"
)

func TestConformance(t *testing.T) {
	conform.Method(t, Plugin{}, methodtest.Settings(t, Plugin{}, "memory_size", 20))
	t.Run("qmix", func(t *testing.T) {
		conform.MethodOn(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "memory_size", 30))
	})
	t.Run("teams of unlike size", func(t *testing.T) { methodtest.Uneven(t, Plugin{}, "memory_size", 20) })
}

func TestWithoutShareItIsFinetuning(t *testing.T) {
	methodtest.Likewise(t, Plugin{}, finetuning.Plugin{}, qmix.Plugin{}, "er_share", 0.5, true, "memory_size", 24)
}

// Half of a batch are episodes of the current task and half of earlier ones, all
// of them distinct; while there are fewer earlier ones, all of those.
func TestHalfAndHalf(t *testing.T) {
	s := methodtest.Settings(t, Plugin{}, "batch_size", 8, "buffer_size", 20, "memory_size", 40)
	x, err := Plugin{}.New(s, core.Services{Source: rng.New(1)})
	if err != nil {
		t.Fatal(err)
	}
	m := x.(*method)
	for task, n := range []int{2, 20, 20} {
		if err := m.BeginTask(core.Task{Index: task}, core.Progress{}); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			e := &episode.Episode{Task: task, Index: int64(i), T: 1, N: 1, A: 1, Avail: []uint8{1, 1}, Actions: []int32{0}, Reward: []float32{0}}
			if err := m.Collected(e, core.Progress{}); err != nil {
				t.Fatal(err)
			}
		}
		b, err := m.NextBatch()
		if err != nil {
			t.Fatal(err)
		}
		now, seen := 0, map[[2]int64]bool{}
		for _, e := range b {
			if e.Task == task {
				now++
			}
			seen[[2]int64{int64(e.Task), e.Index}] = true
		}
		if want := []int{0, 6, 4}[task]; now != want || len(seen) != len(b) || (task > 0 && len(b) != 8) {
			t.Errorf("task %d: %d episodes, %d different ones, %d of the task, want %d", task, len(b), len(seen), now, want)
		}
	}
}

// Without borders half of a batch comes from all episodes so far, of which D has the
// latest 8.
func TestHiddenBoundaries(t *testing.T) {
	for boundaries, rehearses := range map[string]bool{"told": false, "hidden": true} {
		s := methodtest.Settings(t, Plugin{}, "batch_size", 8, "buffer_size", 8, "memory_size", 40, "boundaries", boundaries)
		m, err := Plugin{}.New(s, core.Services{Source: rng.New(1)})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.BeginTask(core.Task{}, core.Progress{}); err != nil {
			t.Fatal(err)
		}
		for i := range 40 {
			e := &episode.Episode{Index: int64(i), T: 1, N: 1, A: 1, Avail: []uint8{1, 1}, Actions: []int32{0}, Reward: []float32{0}}
			if err := m.Collected(e, core.Progress{}); err != nil {
				t.Fatal(err)
			}
		}
		old := 0
		for range 50 {
			b, err := m.NextBatch()
			if err != nil || len(b) != 8 {
				t.Fatal(len(b), err)
			}
			for _, e := range b {
				if e.Index < 32 {
					old++
				}
			}
		}
		// 50 batches have 4 episodes of 40 each, four fifths of them old: 160.
		if rehearses && (old < 130 || old > 190) || !rehearses && old > 0 {
			t.Errorf("boundaries %s: %d episodes that D has lost", boundaries, old)
		}
	}
}

// On battles of teams of unlike size it rehearses and resumes as well.
func TestBattles(t *testing.T) { methodtest.Battles(t, Plugin{}, "memory_size", 8) }
