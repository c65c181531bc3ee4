package finetuning

import (
	"bytes"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/episode"
	"macpro/core/rng"
)

func TestConformance(t *testing.T) { conform.Method(t, Plugin{}, nil) }

func newMethod(t *testing.T, changes ...any) core.Method {
	t.Helper()
	m, err := Plugin{}.New(mini.Settings(changes...), core.Services{Source: rng.New(1)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func collect(t *testing.T, m core.Method, task, n int) {
	t.Helper()
	for i := range n {
		e := &episode.Episode{Task: task, Index: int64(i), T: 1, N: 1, A: 1, Avail: []uint8{1, 1}, Actions: []int32{0}, Reward: []float32{0}}
		if err := m.Collected(e, core.Progress{}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBufferIsEmptyAtEveryTask(t *testing.T) {
	m := newMethod(t, "batch_size", 4, "buffer_size", 6)
	for task := range 3 {
		if err := m.BeginTask(core.Task{Index: task}, core.Progress{}); err != nil {
			t.Fatal(err)
		}
		for k := range 8 {
			b, err := m.NextBatch()
			if err != nil || (len(b) != 0) != (k >= 4) {
				t.Fatalf("task %d, %d episodes: a batch of %d, %v", task, k, len(b), err)
			}
			for _, e := range b {
				if e.Task != task {
					t.Fatalf("an episode of task %d in task %d", e.Task, task)
				}
			}
			collect(t, m, task, 1)
		}
	}
}

func TestLoadNeedsRoomForWhatWasSaved(t *testing.T) {
	m := newMethod(t, "batch_size", 2, "buffer_size", 6)
	collect(t, m, 0, 6)
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	small := newMethod(t, "batch_size", 2, "buffer_size", 5)
	if err := small.Load(&b); err == nil || !strings.Contains(err.Error(), "buffer_size") {
		t.Errorf("six episodes into a buffer of five: %v", err)
	}
}
