package store

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/record"
)

func TestFailedCreateLeavesNoFolder(t *testing.T) {
	m := newMemFS()
	f := &faultFS{FS: m, before: func(_ int, op string) error {
		if strings.HasPrefix(op, "write") && strings.Contains(op, "manifest.json") {
			return errFault
		}
		return nil
	}}
	if _, err := Create(f, testRoot, testManifest(), testConfig); err == nil {
		t.Fatal("created")
	}
	if entries, err := m.ReadDir(filepath.Join(testRoot, "runs")); len(entries) > 0 || err != nil {
		t.Errorf("left %v, %v", entries, err)
	}
	if _, err := Create(m, testRoot, testManifest(), []byte("a: [")); err == nil || !strings.Contains(err.Error(), "config.yaml") {
		t.Errorf("a broken configuration: %v", err)
	}
}

func TestFinalIsReadBack(t *testing.T) {
	r, m := newRun(t, sound)
	rec := loaded(t, m, r)
	if f, err := rec.Final(); f != nil || err != nil {
		t.Errorf("before the end: %v, %v", f, err)
	}
	if err := r.Finish(record.Result{Seed: 5}); err != nil {
		t.Fatal(err)
	}
	if f, err := rec.Final(); err != nil || f == nil || f.Seed != 5 {
		t.Errorf("%v, %v", f, err)
	}
	if config, err := rec.Config(); err != nil || string(config) != string(testConfig) {
		t.Errorf("config %q, %v", config, err)
	}
	if err := r.Interrupt(); err == nil {
		t.Error("a run that is done was interrupted")
	}
}

// busyRow is a row of the usual size.
func busyRow(i int64) core.Event {
	return core.Event{Kind: "train", TEnv: i * 50, Episode: i, Task: "lbf-11x11-4p-2f", Fields: map[string]any{
		"return": 0.5, "length": 50, "epsilon": 0.05, "loss": 0.012345, "grad_norm": 1.5, "td_abs": 0.1, "q_taken": 0.7, "target": 0.8,
	}}
}

// TestMemoryStaysFlat compares the heap after many rows with that after more.
func TestMemoryStaysFlat(t *testing.T) {
	r, err := Create(OS(), t.TempDir(), testManifest(), testConfig)
	if err != nil {
		t.Fatal(err)
	}
	heap := func(rows int64) uint64 {
		for i := range rows {
			if err := r.Emit(busyRow(i)); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	early, late := heap(10_000), heap(40_000)
	if late > early+early/10+64<<10 {
		t.Errorf("heap %d after 10,000 rows, %d after 50,000", early, late)
	}
	if err := r.Interrupt(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkEmit(b *testing.B) {
	r, err := Create(OS(), b.TempDir(), testManifest(), testConfig)
	if err != nil {
		b.Fatal(err)
	}
	e := busyRow(1)
	b.ReportAllocs()
	for b.Loop() {
		if err := r.Emit(e); err != nil {
			b.Fatal(err)
		}
	}
	if err := r.Interrupt(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkReadJournal(b *testing.B) {
	e := busyRow(1)
	row, _, err := appendRow(nil, &e, nil)
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat(string(appendWall(row, 1)), 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if got, _ := rows(text); len(got) != 1000 {
			b.Fatal(len(got))
		}
	}
}

// A run whose folder of checkpoints is gone, as after a copy without them, keeps
// its journal.
func TestMissingCheckpointsAreNoNewStart(t *testing.T) {
	r, m := newRun(t, sound)
	if err := errors.Join(r.Emit(core.Event{Kind: "train", TEnv: 1}), put(r, 1, "x"), r.Interrupt()); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(r.Dir(), "checkpoints")
	if err := m.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := openAt(m, r.Dir(), ticks()); err == nil || !strings.Contains(err.Error(), "checkpoints is missing, though the journal has 1 rows") {
			t.Fatal(err)
		}
	}
	if err := m.MkdirAll(dir); err != nil {
		t.Fatal(err)
	}
	r, _, err := openAt(m, r.Dir(), ticks())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(put(r, 1, "x"), r.Interrupt()); err != nil {
		t.Error(err)
	}
}
