package rehearsal

import (
	"bytes"
	"math"
	"testing"

	"macpro/core/episode"
	"macpro/core/rng"
	"macpro/core/safetensors"
)

func filled(seed uint64, capacity, tasks, each int) *Memory {
	m := New(Config{Capacity: capacity}, rng.New(seed))
	for task := range tasks {
		for i := range each {
			m.Insert(&episode.Episode{Task: task, Index: int64(i), T: 1, N: 1, A: 1, Avail: []uint8{1, 1}, Actions: []int32{0}, Reward: []float32{0}})
		}
	}
	return m
}

// chi is the chi-square statistic of counts that should be equal.
func chi(counts []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, n := range counts {
		mean += n / float64(len(counts))
	}
	for _, n := range counts {
		sum += (n - mean) * (n - mean) / mean
	}
	return sum
}

// Whatever the order of its arrival, an episode of an earlier task is drawn with
// the same odds: over many memories the draws by tenths of each task pass a
// chi-square test (19 degrees of freedom, p > 0.001 below 43.8), and the tasks
// before the current one have equal shares.
func TestDrawsAreUniform(t *testing.T) {
	const tasks, each, capacity = 2, 60, 40
	counts := make([]float64, 10*tasks)
	for seed := range uint64(400) {
		m := filled(seed, capacity, tasks, each)
		b := make([]*episode.Episode, 8)
		if err := m.Sample(tasks, b); err != nil {
			t.Fatal(err)
		}
		seen := map[[2]int64]bool{}
		for _, e := range b {
			if key := [2]int64{int64(e.Task), e.Index}; seen[key] {
				t.Fatalf("episode %d of task %d twice", e.Index, e.Task)
			} else {
				seen[key] = true
			}
			counts[10*e.Task+int(e.Index)/6]++
		}
	}
	if x := chi(counts); x > 43.8 || math.IsNaN(x) {
		t.Errorf("draws by tenths of each task %v, chi-square %v", counts, x)
	}
}

// Only tasks before the current one are old, and no more is drawn than there is.
func TestOldTasks(t *testing.T) {
	m := filled(1, 100, 3, 10)
	if a, b, c := m.Old(0), m.Old(1), m.Old(3); a != 0 || b != 10 || c != 30 {
		t.Errorf("%d, %d and %d old episodes, want 0, 10 and 30", a, b, c)
	}
	b := make([]*episode.Episode, 10)
	if err := m.Sample(1, b); err != nil {
		t.Fatal(err)
	}
	for _, e := range b {
		if e.Task != 0 {
			t.Errorf("an episode of task %d, want those before 1", e.Task)
		}
	}
	if m.Sample(1, make([]*episode.Episode, 11)) == nil {
		t.Error("11 of 10 episodes were drawn")
	}
}

// A memory that was restored draws the same episodes.
func TestRestored(t *testing.T) {
	m := filled(1, 20, 3, 30)
	f := safetensors.New()
	m.Put(f)
	var file bytes.Buffer
	if err := f.Encode(&file); err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	again := New(Config{Capacity: 20}, rng.New(99))
	if err := again.Get(f); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		a, b := make([]*episode.Episode, 5), make([]*episode.Episode, 5)
		if err := m.Sample(3, a); err != nil {
			t.Fatal(err)
		}
		if err := again.Sample(3, b); err != nil {
			t.Fatal(err)
		}
		for i := range a {
			if a[i].Task != b[i].Task || a[i].Index != b[i].Index {
				t.Fatalf("draw %d: episode %d of task %d and %d of %d", i, a[i].Index, a[i].Task, b[i].Index, b[i].Task)
			}
		}
	}
}
