package read

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"macpro/core/config"
	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/store"
)

// recorded makes a finished run of two tasks with a journal of about rows rows, of
// which 88 % are test episodes.
func recorded(tb testing.TB, root string, seed int64, rows int) {
	tb.Helper()
	yaml := fmt.Sprintf("ablation: none\nalg: a\ncompat: default\nenv: e\nlearner: l\nprofile: p\nseed: %d\nsteps_per_task: 1000\n", seed)
	for i := range 80 { // as many keys as a real run has
		yaml += fmt.Sprintf("zz_key_%d: 0.%d\n", i, i+1)
	}
	c, err := config.ReadRecorded("config.yaml", []byte(yaml))
	if err != nil {
		tb.Fatal(err)
	}
	run, err := store.Create(store.OS(), root, store.Manifest{Alg: "a", Env: "e", Learner: "l", Sequence: "train", Seed: seed,
		ConfigHash: c.Hash(nil), GroupHash: "g", Unhashed: []string{}}, []byte(yaml))
	if err != nil {
		tb.Fatal(err)
	}
	emit := func(e record.Entry) {
		if err := run.Emit(record.Event(e)); err != nil {
			tb.Fatal(err)
		}
	}
	names := []string{"one", "two"}
	tests := max(2, rows/36)
	o := record.Outcome{Tasks: names, Modes: []string{"m"}, R: map[string]metrics.Matrix{"m": metrics.NewMatrix(2)}, Metrics: map[string]metrics.Summary{},
		FinalAverage: map[string]metrics.Number{"m": 0}, MethodEnvSteps: map[string]int64{}, TaskHeads: []int{0, 1}}
	for k := range tests {
		at := record.At{TEnv: int64(k), Task: names[k*2/tests]}
		if k == 0 || k == tests/2 {
			emit(record.TaskStart{At: at, Index: k * 2 / tests, Head: k * 2 / tests})
		}
		for i := range 3 {
			emit(record.Train{At: at, Episodes: int64(i), ReturnMean: 0.25, LengthMean: 20.5, GradientSteps: 100, Epsilon: 0.05, Heads: 1,
				Gradients: &record.Gradients{}})
		}
		for i := range 32 {
			emit(record.TestEpisode{At: at, Mode: "m", Played: record.Played{Index: i, Seed: "0x9177ae3fb6f88271", Length: 25, Heads: []int32{-1, 0}}})
		}
		emit(record.Test{At: at, Mode: "m", Index: k * 2 / tests, Score: 0.5, Seen: true})
	}
	emit(record.Final{Outcome: o})
	if err := run.Finish(record.Result{Outcome: o}); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkJournal reads one run with a million rows.
func BenchmarkJournal(b *testing.B) {
	root := b.TempDir()
	recorded(b, root, 1, 1_000_000)
	for b.Loop() {
		set, err := Load(store.OS(), root, nil)
		if err != nil || len(set.Runs) != 1 || len(set.Warnings) > 0 {
			b.Fatal(len(set.Runs), len(set.Warnings), err)
		}
	}
}

// BenchmarkRuns reads 2,000 runs.
func BenchmarkRuns(b *testing.B) {
	root := b.TempDir()
	recorded(b, root, 1, 300)
	runs, err := filepath.Glob(filepath.Join(root, "runs", "*"))
	if err != nil {
		b.Fatal(err)
	}
	for i := range 1999 { // the same run under other names, which is quickly made
		name := fmt.Sprintf("%s%04d", runs[0], i)
		if err := os.CopyFS(name, os.DirFS(runs[0])); err != nil {
			b.Fatal(err)
		}
		manifest := filepath.Join(name, "manifest.json")
		data, err := os.ReadFile(manifest)
		if err == nil {
			err = os.WriteFile(manifest, bytes.Replace(data, []byte(filepath.Base(runs[0])), []byte(filepath.Base(name)), 1), 0o644)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		set, err := Load(store.OS(), root, nil)
		if err != nil || len(set.Runs) != 2000 || len(set.Warnings) > 0 {
			b.Fatal(len(set.Runs), len(set.Warnings), err)
		}
	}
}
