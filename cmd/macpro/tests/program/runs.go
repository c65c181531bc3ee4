package program

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"macpro/core/files"
	"macpro/core/record"
	"macpro/core/store"
)

// Short is a run of about a second with everything in it: two tasks, tests,
// checkpoints inside of tasks and between them.
const Short = "run --env lbf --alg finetuning --learner qmix --profile smoke --quiet --seed 5" +
	" --set steps_per_task=1000 --set batch_size=8 --set test_interval=400 --set test_nepisode=2" +
	" --set log_interval=100 --set checkpoint_interval=150 --set target_update_interval=10"

// Trace is what must not depend on how a run came to its end.
type Trace struct{ Journal, State, Learner string }

// TraceOf reads the only run in a folder of results.
func TraceOf(t testing.TB, dir string) Trace {
	t.Helper()
	rec := OnlyRun(t, dir)
	if rec.Status != record.Done {
		t.Fatalf("%s is %s", rec.Dir, rec.Status)
	}
	journal, err := rec.Digest()
	if err != nil {
		t.Fatal(err)
	}
	c, warnings, err := rec.LatestCheckpoint()
	if err != nil || warnings != nil {
		t.Fatal(err, warnings)
	}
	tr := Trace{Journal: journal, State: c.Digest()}
	for _, p := range c.Parts {
		if p.Name == "learner" {
			tr.Learner = p.SHA256
		}
	}
	if tr.Learner == "" {
		t.Fatalf("the checkpoint has only %v", c.Names())
	}
	return tr
}

// OnlyRun is the run in dir/results, where there is one.
func OnlyRun(t testing.TB, dir string) *store.Record {
	t.Helper()
	runs, warnings, err := store.List(store.OS(), filepath.Join(dir, "results"))
	if err != nil || warnings != nil || len(runs) != 1 {
		t.Fatalf("want one run: %d runs, warnings %v, error %v", len(runs), warnings, err)
	}
	return runs[0]
}

// LastCheckpoint reads the parts of a run's newest checkpoint that hold numbers.
func LastCheckpoint(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(dir, "checkpoints", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatal("no checkpoint in", dir, err)
	}
	newest := slices.MaxFunc(folders, func(a, b string) int {
		m, _ := strconv.Atoi(filepath.Base(a))
		n, _ := strconv.Atoi(filepath.Base(b))
		return m - n
	})
	parts := map[string][]byte{}
	for _, part := range []string{"learner", "method"} {
		if parts[part], err = files.Read(filepath.Join(newest, part)); err != nil {
			t.Fatal(err)
		}
	}
	return parts
}

// Forget removes files of the results.
func Forget(t testing.TB, dir string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		files, err := filepath.Glob(filepath.Join(dir, p))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", p, files, err)
		}
		for _, f := range files {
			if err := os.RemoveAll(f); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// WaitFor waits until a run has a file that holds a text.
func WaitFor(t testing.TB, dir, file, text string) {
	t.Helper()
	Until(t, file+" of a run holds "+strconv.Quote(text), func() bool {
		found, _ := filepath.Glob(filepath.Join(dir, "results", "runs", "*", file)) // the pattern is right
		return slices.ContainsFunc(found, func(f string) bool {
			b, err := files.Read(f)
			return err == nil && strings.Contains(string(b), text)
		})
	})
}

// Until waits for a condition, at most three minutes.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never happened that %s", what)
		}
	}
}

// Meanwhile plays what is to happen while a run goes on. On a busy machine a run may have
// ended before: play then says late, and is played again in a new folder.
func Meanwhile(t testing.TB, play func(dir string) (late bool)) {
	t.Helper()
	for range 5 {
		if !play(t.TempDir()) || t.Failed() {
			return
		}
	}
	t.Fatal("every run had ended before anything could happen to it, or did not mind")
}
