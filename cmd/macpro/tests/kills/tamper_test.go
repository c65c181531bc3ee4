package kills_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/record"
	"macpro/core/store"
)

// What a user may do to the files of a run that goes on. The run ends with what
// is the matter, and nothing is called done; where mends says so, resuming gives
// the bytes of a run that nobody disturbed.
func TestFilesTakenFromARun(t *testing.T) {
	t.Parallel()
	want := undisturbed(t)
	for _, c := range []struct {
		name string
		do   func(dir string) error
		want string
		mend func(dir string) error
	}{
		{"lock deleted", func(dir string) error { return os.Remove(filepath.Join(dir, "lock")) }, "lock was deleted", nothing},
		{"journal deleted", func(dir string) error { return os.Remove(filepath.Join(dir, "journal.jsonl")) }, "journal.jsonl was deleted", nil},
		{"journal emptied", func(dir string) error { return os.Truncate(filepath.Join(dir, "journal.jsonl"), 0) }, "the journal was cut", nil},
		{"journal renamed", func(dir string) error {
			return os.Rename(filepath.Join(dir, "journal.jsonl"), filepath.Join(dir, "old"))
		},
			"journal.jsonl was deleted", func(dir string) error {
				return os.Rename(filepath.Join(dir, "old"), filepath.Join(dir, "journal.jsonl"))
			}},
		{"configuration edited", func(dir string) error {
			name := filepath.Join(dir, "config.yaml")
			b, err := os.ReadFile(name)
			return errors.Join(err, os.WriteFile(name, append([]byte("# a note\n"), b...), 0o600))
		}, "config.yaml was changed", nothing},
		{"folder moved", func(dir string) error { return os.Rename(dir, dir+"-old") }, "lock was deleted, replaced or moved", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			program.Meanwhile(t, func(dir string) (late bool) {
				cmd, output := program.Start(t, dir, strings.Fields(short))
				program.WaitFor(t, dir, filepath.Join("checkpoints", "[0-9]*", "index.json"), "")
				run := program.OnlyRun(t, dir).Dir
				if err := c.do(run); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait() // the exit code tells
				code := cmd.ProcessState.ExitCode()
				if code == program.OK {
					return true
				}
				if code != program.Failure || !strings.Contains(output.String(), c.want) {
					t.Fatalf("exit code %d\n%s\nwant %q", code, output, c.want)
				}
				if runs, _, err := store.List(store.OS(), filepath.Join(dir, "results")); err != nil || len(runs) == 1 && runs[0].Status == record.Done {
					t.Fatalf("called done (%v)", err)
				}
				if c.mend == nil {
					return false
				}
				if err := c.mend(run); err != nil {
					t.Fatal(err)
				}
				if got := program.Call(t, dir, nil, "resume", "--quiet", run); got.Code != program.OK {
					t.Fatalf("resuming: %s", got.Stderr)
				}
				if got := program.TraceOf(t, dir); got != want {
					t.Errorf("%v, want %v", got, want)
				}
				return false
			})
		})
	}
}

func nothing(string) error { return nil }

// A run whose lock is deleted and that another process resumes meanwhile stops;
// both together leave the bytes of one run alone.
func TestTwoTrainOneRun(t *testing.T) {
	t.Parallel()
	want := undisturbed(t)
	for range rounds {
		program.Meanwhile(t, func(dir string) (late bool) {
			first, output := program.Start(t, dir, strings.Fields(short))
			program.WaitFor(t, dir, filepath.Join("checkpoints", "[0-9]*", "index.json"), "")
			run := program.OnlyRun(t, dir).Dir
			if err := os.Remove(filepath.Join(run, "lock")); err != nil {
				t.Fatal(err)
			}
			second := program.Call(t, dir, nil, "resume", "--quiet", run)
			_ = first.Wait() // the exit code tells
			code := first.ProcessState.ExitCode()
			if code == program.OK {
				return true
			}
			if code != program.Failure || !strings.Contains(output.String(), "another process may train in this folder") {
				t.Fatalf("the first: exit code %d\n%s", code, output)
			}
			if second.Code != program.OK { // the two have met: told, and mended by another try
				if !strings.Contains(second.Stderr, "somebody else") {
					t.Fatalf("the second: exit code %d\n%s", second.Code, second.Stderr)
				}
				if third := program.Call(t, dir, nil, "resume", "--quiet", run); third.Code != program.OK {
					t.Fatalf("the third: %s", third.Stderr)
				}
			}
			if got := program.TraceOf(t, dir); got != want {
				t.Errorf("%v, want %v", got, want)
			}
			return false
		})
	}
}
