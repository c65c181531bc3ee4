package store

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"macpro/core"
	"macpro/core/record"
	"macpro/core/rng"
)

const (
	testRoot  = "results"
	lastStep  = 40
	saveEvery = 10
)

var testConfig = []byte("gamma: 0.99\nseed: 3\nenv_args:\n  sight: 2\n")

func testManifest() Manifest {
	return Manifest{Alg: "macpro", Env: "lbf", Learner: "qmix", Sequence: "train", Seed: 3, TMax: 5000,
		Created: time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC), Argv: []string{"macpro", "run"}}
}

// ticks is a clock that goes on by 0.7 s at every look, so that a short test
// meets all the time limits.
func ticks() func() time.Time {
	t := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	return func() time.Time {
		t = t.Add(700 * time.Millisecond)
		return t
	}
}

// training is a stand-in for a training loop: its state is one number, which
// every row depends on.
type training struct {
	state uint64
	step  int64
	saved int64 // step of the last checkpoint that was reported as saved
	from  int64 // step at which it was resumed
}

// run trains to the end, saving as it goes, and stops at the first error.
func (tr *training) run(r *Run) error {
	r.Keep = 2
	for tr.step < lastStep {
		tr.step++
		tr.state = rng.New(tr.state).ChildInt(tr.step).Stream().Uint64()
		x := float64(tr.state%1000) / 7
		rows := []core.Event{
			{Kind: "train", TEnv: tr.step, Episode: tr.step, Task: "a", Fields: map[string]any{"loss": x, "nan": math.NaN(), "k": tr.state}},
			{Kind: "test", TEnv: tr.step, Episode: tr.step, Task: "a", Fields: map[string]any{"return_mean": float32(x), "mode": "ctde"}},
		}
		for _, e := range rows {
			if err := r.Emit(e); err != nil {
				return err
			}
		}
		if tr.step%saveEvery == 0 {
			if err := tr.save(r); err != nil {
				return err
			}
		}
	}
	return r.Finish(record.Result{Outcome: record.Outcome{PeakQRatio: float64(tr.state % 100)}})
}

func (tr *training) save(r *Run) error {
	err := r.SaveCheckpoint(Meta{TEnv: tr.step, Episode: tr.step, Task: "a"}, func(part AddPart) error {
		if err := part("learner", func(w io.Writer) error {
			return binary.Write(w, binary.LittleEndian, []uint64{tr.state, uint64(tr.step)})
		}); err != nil {
			return err
		}
		return part("buffer", func(w io.Writer) error {
			_, err := w.Write(make([]byte, 5000))
			return err
		})
	})
	if err == nil {
		tr.saved = tr.step
	}
	return err
}

// begin makes a run and trains it.
func (tr *training) begin(fsys FS) error {
	r, err := createAt(fsys, testRoot, testManifest(), testConfig, ticks())
	if err != nil {
		return err
	}
	if err := tr.run(r); err != nil {
		return errors.Join(err, r.Fail(err))
	}
	return nil
}

// resume goes on from the newest checkpoint.
func (tr *training) resume(fsys FS, dir string) error {
	r, _, err := openAt(fsys, dir, ticks())
	if err != nil {
		return err
	}
	if c := r.LatestCheckpoint(); c != nil {
		err := c.Read("learner", func(rd io.Reader) error {
			var v [2]uint64
			err := binary.Read(rd, binary.LittleEndian, &v)
			tr.state, tr.step = v[0], int64(v[1])
			return err
		})
		if err != nil {
			return errors.Join(err, r.Interrupt())
		}
		if c.TEnv != tr.step {
			return errors.New("the checkpoint's step is not that of its state")
		}
	}
	tr.from, tr.saved = tr.step, tr.step
	if err := tr.run(r); err != nil {
		return errors.Join(err, r.Fail(err))
	}
	return nil
}

// onlyRun returns the folder of the one run, "" if there is none.
func onlyRun(t *testing.T, fsys FS) string {
	t.Helper()
	runs, _, err := List(fsys, testRoot)
	if err != nil || len(runs) > 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	if len(runs) == 0 {
		return ""
	}
	return runs[0].Dir
}

// summary is everything about a finished run that must not depend on how often
// it was cut.
func summary(t *testing.T, fsys FS, dir string) string {
	t.Helper()
	rec, err := Load(fsys, dir)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := rec.Digest()
	if err != nil {
		t.Fatal(err)
	}
	c, warnings, err := rec.LatestCheckpoint()
	if err != nil || c == nil || len(warnings) > 0 {
		t.Fatalf("checkpoint %v, %v, %v", c, warnings, err)
	}
	final, err := ReadFile(fsys, filepath.Join(dir, "final.json"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join([]string{string(rec.Status), digest, c.Digest(), c.Sum, string(final)}, "\n")
}

// reference is the summary of a run that nothing happened to, and the number of
// its file operations.
func reference(t *testing.T) (string, int) {
	t.Helper()
	m := newMemFS()
	f := &faultFS{FS: m, before: func(int, string) error { return nil }}
	if err := new(training).begin(f); err != nil {
		t.Fatal(err)
	}
	return summary(t, m, onlyRun(t, m)), f.n
}

// TestErrorAtEveryOperation fails one operation, or that and all later ones, and
// resumes with a sound file system.
func TestErrorAtEveryOperation(t *testing.T) {
	want, ops := reference(t)
	for n := range ops {
		for _, sticky := range []bool{false, true} {
			m := newMemFS()
			f := &faultFS{FS: m, before: func(i int, _ string) error {
				if i == n || sticky && i > n {
					return errFault
				}
				return nil
			}}
			var tr training
			if err := tr.begin(f); err != nil && !strings.Contains(err.Error(), errFault.Error()) {
				t.Fatalf("operation %d: %v", n, err)
			}
			m.locks = map[*node]string{} // the process ends
			completeAfter(t, m, tr.saved, want)
		}
	}
}

// TestCrashAtEveryOperation takes away what was not synced.
func TestCrashAtEveryOperation(t *testing.T) {
	want, ops := reference(t)
	for n := range ops {
		for variant := range int64(2) {
			draws := rng.New(1).Child("crash").ChildInt(int64(n)).ChildInt(variant).Stream()
			m := newMemFS()
			var left *memFS
			var saved int64
			var tr training
			f := &faultFS{FS: m, before: func(i int, _ string) error {
				if i == n {
					left, saved = m.crash(draws), tr.saved
				}
				if i >= n {
					return errFault
				}
				return nil
			}}
			_ = tr.begin(f) // it ends with the fault
			completeAfter(t, left, saved, want)
		}
	}
}

// completeAfter resumes what is there, or begins anew if there is no run, and
// compares the end. Nothing that was reported as saved may be lost.
func completeAfter(t *testing.T, m *memFS, saved int64, want string) {
	t.Helper()
	dir := onlyRun(t, m)
	if dir == "" {
		if saved > 0 {
			t.Fatalf("the run is gone although step %d was saved", saved)
		}
		return
	}
	rec, err := Load(m, dir)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Status == record.Done {
		if got := summary(t, m, dir); got != want {
			t.Fatalf("done, but\n%s\nwant\n%s", got, want)
		}
		return
	}
	var tr training
	if err := tr.resume(m, dir); err != nil {
		t.Fatal(err)
	}
	if tr.from < saved {
		t.Fatalf("step %d was saved, resuming began at %d", saved, tr.from)
	}
	if got := summary(t, m, dir); got != want {
		t.Fatalf("after resuming\n%s\nwant\n%s", got, want)
	}
}

// TestCrashWhileResuming cuts the resuming of a run whose newest checkpoint is
// damaged and whose journal ends in half a row.
func TestCrashWhileResuming(t *testing.T) {
	want, _ := reference(t)
	damaged := func() (*memFS, string) {
		m := newMemFS()
		var tr training
		f := &faultFS{FS: m, before: func(_ int, op string) error {
			if tr.saved == 20 && strings.HasPrefix(op, "create") && strings.HasSuffix(op, "buffer") {
				return errFault
			}
			return nil
		}}
		_ = tr.begin(f) // it ends with the fault
		dir := onlyRun(t, m)
		_, _, n := m.find(filepath.Join(dir, "checkpoints", "20", "learner"))
		n.data = n.data[:7]
		_, _, n = m.find(filepath.Join(dir, journalName))
		n.data = append(n.data, `{"event":"tra`...)
		sealed := m.crash(rng.New(1).Stream()) // all was synced but the tail
		return sealed, dir
	}
	m, dir := damaged()
	f := &faultFS{FS: m, before: func(int, string) error { return nil }}
	if err := new(training).resume(f, dir); err != nil {
		t.Fatal(err)
	}
	if got := summary(t, m, dir); got != want {
		t.Fatalf("%s\nwant\n%s", got, want)
	}
	for n := range f.n {
		m, dir := damaged()
		draws := rng.New(2).ChildInt(int64(n)).Stream()
		var left *memFS
		f := &faultFS{FS: m, before: func(i int, _ string) error {
			if i == n {
				left = m.crash(draws)
			}
			if i >= n {
				return errFault
			}
			return nil
		}}
		_ = new(training).resume(f, dir) // it ends with the fault
		completeAfter(t, left, 10, want)
	}
}
