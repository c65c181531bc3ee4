package coreset

import (
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/continual"
	"macpro/core/episode"
	"macpro/core/rng"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/learners/qmix"
)

func TestConformance(t *testing.T) {
	for _, evict := range []string{"reservoir", "newest"} {
		t.Run(evict, func(t *testing.T) {
			conform.Method(t, Plugin{}, methodtest.Settings(t, Plugin{}, "coreset_evict", evict, "coreset_capacity", 14))
		})
	}
	t.Run("qmix", func(t *testing.T) {
		conform.MethodOn(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "coreset_capacity", 30))
	})
	t.Run("teams of unlike size", func(t *testing.T) { methodtest.Uneven(t, Plugin{}, "coreset_capacity", 20) })
}

// newMethod makes a method that writes to the record.
func newMethod(t testing.TB, rec *conform.Record, changes ...any) *method {
	t.Helper()
	s := methodtest.Settings(t, Plugin{}, append([]any{"batch_size", 4}, changes...)...)
	m, err := Plugin{}.New(s, core.Services{Source: rng.New(1), Journal: rec})
	if err != nil {
		t.Fatal(err)
	}
	return m.(*method)
}

// begin starts a task and collects episodes of it.
func begin(t testing.TB, m *method, task, episodes int) {
	t.Helper()
	if err := m.BeginTask(core.Task{Index: task, Spec: core.EnvSpec{Task: "any"}}, core.Progress{}); err != nil {
		t.Fatal(err)
	}
	for i := range episodes {
		e := &episode.Episode{Task: task, Index: int64(i), T: 1, N: 1, A: 1, Avail: []uint8{1, 1}, Actions: []int32{0}, Reward: []float32{0}}
		if err := m.Collected(e, core.Progress{}); err != nil {
			t.Fatal(err)
		}
	}
}

// With five seen tasks and room for 5000 episodes every task holds 1000 of them,
// and 10,000 batches come from all tasks alike: chi-square with four degrees of
// freedom stays below 18.5 (p > 0.001).
func TestEqualShares(t *testing.T) {
	rec := &conform.Record{}
	m := newMethod(t, rec)
	for task := range 5 {
		begin(t, m, task, 5200)
	}
	for task := range 5 {
		if n := m.store.TaskLen(task); n < 999 || n > 1001 {
			t.Errorf("%d episodes of task %d", n, task)
		}
	}
	for range 10000 {
		b, err := m.NextBatch()
		if err != nil || len(b) != 4 {
			t.Fatalf("a batch of %d, %v", len(b), err)
		}
		for _, e := range b {
			if e.Task != b[0].Task {
				t.Fatalf("tasks %d and %d in one batch", b[0].Task, e.Task)
			}
		}
	}
	chi := 0.0
	for _, n := range m.batches {
		chi += float64((n - 2000) * (n - 2000) / 2000)
	}
	if chi > 18.5 {
		t.Errorf("batches by task: %v, chi-square %v", m.batches, chi)
	}
	if err := m.EndTask(core.Progress{}); err != nil {
		t.Fatal(err)
	}
	if row := rec.Rows[0]; !strings.Contains(row, `"sizes":[1000,1000,1000,1000,1000]`) || !strings.Contains(row, `"batches":[`) {
		t.Errorf("row %s", row)
	}
}

// The key coreset_evict reaches the store: while a task is trained its newest
// episodes are kept, or any.
func TestEvict(t *testing.T) {
	for _, evict := range []string{"reservoir", "newest"} {
		m := newMethod(t, &conform.Record{}, "coreset_evict", evict, "coreset_capacity", 40)
		begin(t, m, 0, 80)
		newest := true
		for i := range 40 {
			newest = newest && m.store.At(0, i).Index == int64(40+i)
		}
		if newest != (evict == "newest") {
			t.Errorf("%s: the newest 40 episodes are left: %v", evict, newest)
		}
	}
}

// A new task is rehearsed from its first full batch on, earlier ones before.
func TestNewTaskWaitsForABatch(t *testing.T) {
	m := newMethod(t, &conform.Record{})
	begin(t, m, 0, 3)
	if b, err := m.NextBatch(); b != nil || err != nil {
		t.Fatalf("a batch of 4 from 3 episodes: %v, %v", b, err)
	}
	begin(t, m, 0, 5)
	tasks := func() map[int]bool {
		seen := map[int]bool{}
		for range 100 {
			b, err := m.NextBatch()
			if err != nil {
				t.Fatal(err)
			}
			seen[b[0].Task] = true
		}
		return seen
	}
	begin(t, m, 1, 3)
	if s := tasks(); !s[0] || s[1] {
		t.Errorf("with three episodes of task 1 batches came from %v", s)
	}
	begin(t, m, 1, 1)
	if s := tasks(); !s[0] || !s[1] {
		t.Errorf("with four episodes of task 1 batches came from %v", s)
	}
}

// The first task is Finetuning, bit for bit: always if the newest episodes are
// kept and the store is as large as D, else until the store is full.
func TestFirstTaskIsFinetuning(t *testing.T) {
	play := func(p core.MethodPlugin, size int, changes ...any) string {
		changes = append(changes, "tasks", []string{"first"}, "buffer_size", size)
		_, parts, _ := methodtest.Play(t, methodtest.Subject(t, p, qmix.Plugin{}, changes...))
		return methodtest.Tensors(t, parts[continual.PartLearner], "online.", "target.", "rms.")
	}
	small, large := play(finetuning.Plugin{}, 12), play(finetuning.Plugin{}, 1000)
	for _, c := range []struct {
		evict    string
		capacity int
		want     string
		same     bool
	}{
		{"newest", 12, small, true}, {"newest", 20, small, false}, {"newest", 1000, large, true},
		{"reservoir", 12, small, false}, {"reservoir", 1000, large, true},
	} {
		got := play(Plugin{}, 12, "coreset_capacity", c.capacity, "coreset_evict", c.evict)
		if c.want == "" || (got == c.want) != c.same {
			t.Errorf("%s with capacity %d: equal to Finetuning %v, want %v", c.evict, c.capacity, !c.same, c.same)
		}
	}
}

// A store whose shares fall below a batch is refused before the run.
func TestMatch(t *testing.T) {
	s := methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "coreset_capacity", 11)
	_, err := (&conform.Record{}).Runner(continual.Options{Env: s.Env, Learner: s.Learner, Method: s.Plugin, Settings: s.Settings})
	if err == nil || !strings.Contains(err.Error(), "each of 3 tasks keeps 3 episodes in the end, fewer than batch_size 4") {
		t.Errorf("a store of 11 for 3 tasks and batches of 4: %v", err)
	}
}

// BenchmarkBatch measures what the store adds to a gradient step: an insertion
// into a full store and a batch of 32.
func BenchmarkBatch(b *testing.B) {
	m := newMethod(b, &conform.Record{}, "batch_size", 32, "coreset_capacity", 5000)
	for task := range 5 {
		begin(b, m, task, 5000)
	}
	e := &episode.Episode{Task: 4, T: 25, N: 2, A: 5, ObsWidth: 10, StateWidth: 10,
		Obs: make([]float32, 520), State: make([]float32, 260), Avail: make([]uint8, 260), Actions: make([]int32, 50), Reward: make([]float32, 25)}
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Collected(e, core.Progress{}); err != nil {
			b.Fatal(err)
		}
		if _, err := m.NextBatch(); err != nil {
			b.Fatal(err)
		}
	}
}
