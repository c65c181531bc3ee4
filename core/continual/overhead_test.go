package continual

import (
	"runtime"
	"testing"

	"macpro/core/conform/mini"
	"macpro/plugins/continual/finetuning"
)

// training is a run in its first task whose buffer is full.
func training(tb testing.TB, changes ...any) *Runner {
	tb.Helper()
	s := mini.Settings(append([]any{
		"steps_per_task", 1 << 30, "test_interval", 1 << 30, "log_interval", 1 << 30, "boundary_full_test", false,
	}, changes...)...)
	r, err := New(Options{Env: mini.Env{}, Learner: mini.Learner{}, Method: finetuning.Plugin{}, Settings: s})
	if err != nil {
		tb.Fatal(err)
	}
	for range 3000 {
		if err := r.iterate(); err != nil {
			tb.Fatal(err)
		}
	}
	return r
}

func TestIterationsDoNotAllocate(t *testing.T) {
	for _, lanes := range []int{1, 4} {
		r := training(t, "envs_per_rollout", lanes)
		steps := r.state.GradSteps
		n := testing.AllocsPerRun(200, func() {
			if err := r.iterate(); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 || r.state.GradSteps < steps+200 {
			t.Errorf("%d lanes: %v allocations an iteration in %d gradient steps", lanes, n, r.state.GradSteps-steps)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkIteration is one episode of about 5 steps with one gradient step of
// the mini learner; the batch of one episode leaves little but the loop itself.
func BenchmarkIteration(b *testing.B) {
	r := training(b, "batch_size", 1, "buffer_size", 5000)
	b.ReportAllocs()
	from := r.state.TEnv
	for b.Loop() {
		if err := r.iterate(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(r.state.TEnv-from), "ns/step")
}

// Buffers and records stop growing once they are full; what grows with a run
// are its curves, 16 bytes a test.
func TestMemoryIsFlat(t *testing.T) {
	r := training(t, "log_interval", 50, "test_interval", 500)
	heap := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	before := heap()
	for range 30000 {
		if err := r.iterate(); err != nil {
			t.Fatal(err)
		}
	}
	if after := heap(); after > 1.05*before {
		t.Errorf("the heap grew from %.0f to %.0f bytes in ten times as many episodes", before, after)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
