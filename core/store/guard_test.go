package store

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/record"
)

// tampers are what a user may do to the files of a run that goes on, and what
// the run must say. mends says that the run can be resumed as it is then left.
var tampers = []struct {
	name  string
	do    func(m *memFS, dir string) error
	want  string
	mends bool
}{
	{"lock deleted", func(m *memFS, dir string) error { return m.Remove(filepath.Join(dir, "lock")) }, "lock was deleted", true},
	{"lock made anew", func(m *memFS, dir string) error {
		return errors.Join(m.Remove(filepath.Join(dir, "lock")), create(m, filepath.Join(dir, "lock"), content(nil)))
	}, "lock was deleted", true},
	{"journal deleted", func(m *memFS, dir string) error { return m.Remove(filepath.Join(dir, journalName)) }, "journal.jsonl", false},
	{"journal emptied", func(m *memFS, dir string) error { return m.Truncate(filepath.Join(dir, journalName), 0) }, "the journal was cut|rows are not those", false},
	{"journal made anew", func(m *memFS, dir string) error {
		data, err := ReadFile(m, filepath.Join(dir, journalName))
		return errors.Join(err, WriteFile(m, filepath.Join(dir, journalName), data))
	}, "journal.jsonl was deleted", true},
	{"journal written to", func(m *memFS, dir string) error {
		f, err := m.Append(filepath.Join(dir, journalName))
		if err == nil {
			_, err = f.Write([]byte("{}\n"))
		}
		return err
	}, "somebody else has written to the journal|rows are not those", true},
	{"row changed", func(m *memFS, dir string) error {
		_, _, n := m.find(filepath.Join(dir, journalName))
		n.data = bytes.Replace(n.data, []byte(`"task":"a"`), []byte(`"task":"b"`), 1)
		return nil
	}, "its rows are not those that were written", false},
	{"configuration deleted", func(m *memFS, dir string) error { return m.Remove(filepath.Join(dir, "config.yaml")) }, "config.yaml", false},
	{"configuration changed", func(m *memFS, dir string) error {
		return create(m, filepath.Join(dir, "config.yaml"), content([]byte("gamma: 0.5\n")))
	}, "config.yaml was changed", false},
	{"folder moved", func(m *memFS, dir string) error { return m.Rename(dir, dir+"-old") }, "lock was deleted, replaced or moved|journal.jsonl", false},
	{"folder deleted", func(m *memFS, dir string) error { return m.RemoveAll(dir) }, "lock was deleted|journal.jsonl", false},
}

// TestTamperedRunIsNeverDone tampers with a run before each of its file
// operations, up to the last look at the journal. The run must end with a clear
// error and must not be called done.
func TestTamperedRunIsNeverDone(t *testing.T) {
	var ops []string
	if err := new(training).begin(&faultFS{FS: newMemFS(), before: func(_ int, op string) error {
		ops = append(ops, op)
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	index := func(verb, name string) int {
		return slices.IndexFunc(ops, func(op string) bool { return strings.HasPrefix(op, verb) && strings.HasSuffix(op, name) })
	}
	first, last := index("rename", "manifest.json"), index("open", journalName)
	if first < 0 || last < first {
		t.Fatalf("operations %d to %d of\n%s", first, last, strings.Join(ops, "\n"))
	}
	want, _ := reference(t)
	for _, c := range tampers {
		t.Run(c.name, func(t *testing.T) {
			for n := first + 2; n <= last; n = min(n+7, max(last, n+1)) {
				tampered(t, n, c.do, c.want, c.mends, want)
			}
		})
	}
}

// tampered runs with one thing done before operation n.
func tampered(t *testing.T, n int, do func(*memFS, string) error, words string, mends bool, want string) {
	t.Helper()
	m := newMemFS()
	f := &faultFS{FS: m, before: func(i int, _ string) error {
		if i != n {
			return nil
		}
		if err := do(m, onlyRun(t, m)); err != nil {
			t.Fatal(err)
		}
		return nil
	}}
	err := new(training).begin(f)
	runs, _, _ := List(m, testRoot) // a folder may be gone
	unchanged := err == nil && len(runs) == 1 && summary(t, m, runs[0].Dir) == want
	if !unchanged && (err == nil || !regexp.MustCompile(words).MatchString(err.Error())) {
		t.Fatalf("before operation %d: %v, want %q", n, err, words)
	}
	if unchanged {
		return // such as a row that was not written yet
	}
	for _, rec := range runs {
		if rec.Status == record.Done || rec.Status == record.Running {
			t.Fatalf("before operation %d: %s is %s", n, rec.Dir, rec.Status)
		}
		if !mends {
			continue
		}
		if err := new(training).resume(m, rec.Dir); err != nil {
			t.Fatalf("before operation %d: %v", n, err)
		}
		if got := summary(t, m, rec.Dir); got != want {
			t.Fatalf("before operation %d: resumed to\n%s\nwant\n%s", n, got, want)
		}
	}
}

// TestTwoProcessesInOneFolder deletes the lock before each file operation and
// lets another process resume the run and end it. The first must not write
// anything from then on. Only the instant between looking and writing is open.
func TestTwoProcessesInOneFolder(t *testing.T) {
	want, ops := reference(t)
	for n := range ops {
		m := newMemFS()
		took := ""
		f := &faultFS{FS: m, before: func(i int, op string) error {
			if i != n || strings.HasPrefix(op, "write ") {
				return nil
			}
			runs, _, err := List(m, testRoot)
			if err != nil || len(runs) == 0 || runs[0].Status == record.Done {
				return err
			}
			took = runs[0].Dir
			return errors.Join(m.Remove(filepath.Join(took, "lock")), new(training).resume(m, took))
		}}
		err := new(training).begin(f)
		if took == "" {
			continue
		}
		if n+40 < ops && (err == nil || !strings.Contains(err.Error(), "another process may train in this folder")) {
			t.Fatalf("operation %d: the first process ended with %v", n, err)
		}
		if got := summary(t, m, took); got != want {
			t.Fatalf("operation %d:\n%s\nwant\n%s", n, got, want)
		}
	}
}

// TestDamagedRowBeforeACheckpoint goes back to the newest checkpoint that the
// rows lead to, and begins nothing anew if there is none.
func TestDamagedRowBeforeACheckpoint(t *testing.T) {
	for at, want := range map[int]int64{1: -1, 3: 5, 5: 10} {
		r, m := newRun(t, sound)
		for i := range int64(2) {
			for range 2 {
				if err := r.Emit(core.Event{Kind: "train", TEnv: 5 + 5*i, Task: "a"}); err != nil {
					t.Fatal(err)
				}
			}
			if err := put(r, 5+5*i, "x"); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(r.Emit(core.Event{Kind: "train", TEnv: 12, Task: "a"}), r.Interrupt()); err != nil {
			t.Fatal(err)
		}
		_, _, n := m.find(filepath.Join(r.Dir(), journalName))
		lines := bytes.SplitAfter(n.data, []byte("\n"))
		lines[at-1] = bytes.Replace(lines[at-1], []byte(`"a"`), []byte(`"b"`), 1)
		n.data = bytes.Join(lines, nil)
		again, warnings, err := openAt(m, r.Dir(), ticks())
		if want < 0 {
			if err == nil || !strings.Contains(err.Error(), "rows of the journal are not those from before it") {
				t.Errorf("row %d: %v", at, err)
			}
			continue
		}
		if err != nil || again.LatestCheckpoint().TEnv != want || (want == 10) != (len(warnings) == 0) {
			t.Errorf("row %d: %q, %v", at, warnings, err)
		}
	}
}
