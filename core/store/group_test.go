package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"macpro/core/record"
)

// asUser does something with the rights of another user and group, as far as
// files go. Only root can.
func asUser(t *testing.T, uid, gid int, do func()) {
	t.Helper()
	if os.Getuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("needs root on Linux")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = syscall.Setfsgid(gid) // the files that are then made tell
	_ = syscall.Setfsuid(uid)
	defer func() {
		_ = syscall.Setfsuid(0)
		_ = syscall.Setfsgid(0)
	}()
	do()
}

// Every file of a run has the rights that the umask gives, so that a group that
// shares its results can go on with each other's runs.
func TestFilesFollowTheUmask(t *testing.T) {
	old := syscall.Umask(0o002)
	defer syscall.Umask(old)
	r, err := Create(OS(), t.TempDir(), testManifest(), testConfig)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(put(r, 1, "x"), r.Finish(record.Result{})); err != nil {
		t.Fatal(err)
	}
	n := 0
	err = filepath.WalkDir(r.Dir(), func(path string, e fs.DirEntry, _ error) error {
		info, err := e.Info()
		want := fs.FileMode(0o664)
		if err == nil && e.IsDir() {
			want = 0o775
		}
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}
		n++
		return err
	})
	if err != nil || n < 10 {
		t.Errorf("%d files, %v", n, err)
	}
}

// A second user of the group sees what has become of a run and resumes it, or
// is told that it cannot be seen, which is no "running".
func TestSecondUserOfTheGroup(t *testing.T) {
	const group, first, second = 4001, 4002, 4003
	old := syscall.Umask(0o002)
	defer syscall.Umask(old)
	root := t.TempDir()
	if err := os.Chmod(filepath.Dir(root), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(root, 0o777)); err != nil {
		t.Fatal(err)
	}
	var dir string
	asUser(t, first, group, func() {
		r, err := Create(OS(), root, testManifest(), testConfig)
		if err != nil {
			t.Fatal(err)
		}
		dir = r.Dir()
		if err := errors.Join(put(r, 1, "x"), r.release()); err != nil { // as a kill leaves it
			t.Fatal(err)
		}
	})
	lock := filepath.Join(dir, "lock")
	for mode, want := range map[fs.FileMode]record.Status{0o664: record.Interrupted, 0o600: record.Unknown} {
		if err := os.Chmod(lock, mode); err != nil {
			t.Fatal(err)
		}
		asUser(t, second, group, func() {
			rec, err := Load(OS(), dir)
			if err != nil || rec.Status != want {
				t.Fatalf("lock of mode %o: %v, %v", mode, rec, err)
			}
			runs, warnings, err := List(OS(), root)
			if err != nil || len(runs) != 1 {
				t.Fatalf("lock of mode %o: %d runs, %v", mode, len(runs), err)
			}
			told := len(warnings) == 1 && strings.Contains(warnings[0], "cannot be told: open "+lock+": permission denied")
			if told != (want == record.Unknown) {
				t.Errorf("lock of mode %o: warnings %q", mode, warnings)
			}
			if c, _, err := rec.LatestCheckpoint(); err != nil || c == nil {
				t.Errorf("lock of mode %o: checkpoint %v, %v", mode, c, err)
			}
		})
	}
	if err := os.Chmod(lock, 0o664); err != nil {
		t.Fatal(err)
	}
	asUser(t, second, group, func() {
		r, _, err := Open(OS(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Finish(record.Result{}); err != nil {
			t.Fatal(err)
		}
	})
}

// noLocks is a file system of a mount that knows no locks.
type noLocks struct{ FS }

func (f noLocks) Locked(name string) (bool, error) { return false, lockError(name, syscall.ENOLCK) }

func TestNoLocksIsNotRunning(t *testing.T) {
	r, m := newRun(t, sound)
	rec, err := Load(noLocks{m}, r.Dir())
	if err != nil || rec.Status != record.Unknown {
		t.Fatal(rec, err)
	}
	want := "whether run " + r.ID() + " goes on cannot be told: lock " + filepath.Join(r.Dir(), "lock") + ": no locks available"
	if rec.Doubt == nil || rec.Doubt.Error() != want {
		t.Errorf("%v, want %s", rec.Doubt, want)
	}
	if err := r.Finish(record.Result{}); err != nil {
		t.Fatal(err)
	}
	if rec, err := Load(noLocks{m}, r.Dir()); err != nil || rec.Status != record.Done {
		t.Errorf("a run that is done: %v, %v", rec, err)
	}
}

// A lock that cannot be given back fails no run that is done.
func TestLockThatCannotBeGivenBack(t *testing.T) {
	var told []string
	r, m := newRun(t, sound)
	r.Warn = func(w string) { told = append(told, w) }
	r.lock = stuck{r.lock}
	if err := r.Finish(record.Result{}); err != nil {
		t.Fatal(err)
	}
	if rec, err := Load(m, r.Dir()); err != nil || rec.Status != record.Done {
		t.Error(rec, err)
	}
	if len(told) != 1 || !strings.Contains(told[0], "no locks available") {
		t.Errorf("told %q", told)
	}
}

type stuck struct{ Lock }

func (s stuck) Close() error { return errors.Join(s.Lock.Close(), lockError("lock", syscall.ENOLCK)) }
