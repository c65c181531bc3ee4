package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"macpro/core/record"
	"macpro/core/rng"
)

// The test binary starts itself: with childDir set it trains a run in that
// folder, or holds a run there until it is killed.
const (
	childDir  = "STORE_TEST_CHILD"
	childHold = "STORE_TEST_HOLD"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func child(dir string) error {
	if err := os.Chdir(dir); err != nil {
		return err
	}
	if os.Getenv(childHold) != "" {
		_, err := Create(OS(), testRoot, testManifest(), testConfig)
		fmt.Println("ready")
		time.Sleep(time.Minute)
		return err
	}
	runs, _, err := List(OS(), testRoot)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return new(training).begin(OS())
	}
	if runs[0].Status == record.Done {
		return nil
	}
	return new(training).resume(OS(), runs[0].Dir)
}

func startChild(dir string, env ...string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(append(os.Environ(), childDir+"="+dir), env...)
	c.Stderr = os.Stderr
	return c
}

// TestKilledAgainAndAgain kills a training process at many moments, with the
// real file system and lock, and lets the last one end.
func TestKilledAgainAndAgain(t *testing.T) {
	want, _ := reference(t)
	from := time.Now()
	if err := startChild(t.TempDir()).Run(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(from)
	dir := t.TempDir()
	t.Chdir(dir)
	delays := rng.New(5).Child("kill").Stream()
	for range 30 {
		c := startChild(dir)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Duration(delays.Float64()*float64(took)), func() { _ = c.Process.Kill() }) // it may have ended
		_ = c.Wait()                                                                                           // "signal: killed" is what is asked for
		kill.Stop()
	}
	if err := startChild(dir).Run(); err != nil {
		t.Fatal(err)
	}
	if got := summary(t, OS(), onlyRun(t, OS())); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestOneProcessARun(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	c := startChild(dir, childHold+"=1")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	run := onlyRun(t, OS())
	rec, err := Load(OS(), run)
	if err != nil || rec.Status != record.Running {
		t.Errorf("status %v, %v", rec, err)
	}
	_, _, err = Open(OS(), run)
	var locked *LockedError
	if !errors.As(err, &locked) || !strings.Contains(err.Error(), fmt.Sprintf("run is in use by pid %d on ", c.Process.Pid)) {
		t.Errorf("opening a run in use: %v", err)
	}
	_ = c.Process.Kill() // the pipe was answered, it lives
	_ = c.Wait()
	if rec, err := Load(OS(), run); err != nil || rec.Status != record.Interrupted {
		t.Errorf("after the kill: %v, %v", rec, err)
	}
	r, _, err := Open(OS(), run)
	if err != nil {
		t.Fatalf("the lock of a dead process: %v", err)
	}
	if m := r.Manifest(); m.Resumed != 1 || m.PID != os.Getpid() || m.Status != record.Running {
		t.Errorf("manifest %+v", m)
	}
	if err := r.Interrupt(); err != nil {
		t.Fatal(err)
	}
}

// A reader that is stopped while it looks whether a run is in use does not make it so.
func TestSlowReadersAreWaitedFor(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	for _, held := range []time.Duration{0, 2 * lockPatience} {
		reader := newLock(name, os.O_CREATE|os.O_RDWR)
		if read, err := reader.TryRLock(); !read || err != nil {
			t.Fatal(read, err)
		}
		time.AfterFunc(held, func() { _ = reader.Close() }) // it was open
		l, err := OS().Lock(name, "me")
		if err != nil {
			t.Fatalf("a reader that takes %v: %v", held, err)
		}
		var locked *LockedError
		if _, err := OS().Lock(name, "another"); !errors.As(err, &locked) || locked.Owner != "me" {
			t.Errorf("a lock that is held: %v", err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEightStartsAtOnce(t *testing.T) {
	root := t.TempDir()
	done := make(chan error)
	for range 8 {
		go func() {
			r, err := Create(OS(), root, testManifest(), testConfig)
			if err == nil {
				err = errors.Join(put(r, 1, "x"), r.Finish(record.Result{Seed: 1}))
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	runs, warnings, err := List(OS(), root)
	if len(runs) != 8 || len(warnings) > 0 || err != nil {
		t.Fatalf("%d runs, %q, %v", len(runs), warnings, err)
	}
	for _, rec := range runs {
		final, err := rec.Final()
		if err != nil || final == nil || final.Seed != 1 || rec.Status != record.Done || !strings.HasPrefix(rec.Manifest.ID, "macpro-lbf-qmix-s3-20261127T100000-") {
			t.Errorf("%s: %v, %v, %v", rec.Manifest.ID, rec.Status, final, err)
		}
	}
}

func TestForeignFilesAreNamedAndIgnored(t *testing.T) {
	root := t.TempDir()
	if runs, warnings, err := List(OS(), root); len(runs)+len(warnings) > 0 || err != nil {
		t.Errorf("an empty root: %v, %v, %v", runs, warnings, err)
	}
	r, err := Create(OS(), root, testManifest(), testConfig)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Fail(errFault); err != nil {
		t.Fatal(err)
	}
	runsDir := filepath.Join(root, "runs")
	write := func(name, text string) {
		if err := WriteFile(OS(), filepath.Join(runsDir, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	manifest, err := os.ReadFile(filepath.Join(r.Dir(), "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	write("notes.txt", "hello")
	write("folder/x", "")
	write("broken/manifest.json", "{")
	write("strange/manifest.json", `{"id":"strange","status":"asleep"}`)
	write("copy/manifest.json", string(manifest))
	runs, warnings, err := List(OS(), root)
	if err != nil || len(runs) != 1 || runs[0].Status != record.Failed || runs[0].Manifest.LastError != errFault.Error() {
		t.Fatalf("runs %v, %v", runs, err)
	}
	text := strings.Join(warnings, "\n")
	for _, want := range []string{"notes.txt is not a run's folder", "folder is not a run", "broken", `"asleep"`, "copy is a copy of run macpro-"} {
		if !strings.Contains(text, want) {
			t.Errorf("no warning with %q in\n%s", want, text)
		}
	}
	if len(warnings) != 5 {
		t.Errorf("%d warnings", len(warnings))
	}
	write("climber/manifest.json", strings.Replace(string(manifest), r.ID(), "../x", 1))
	if _, warnings, err = List(OS(), root); err != nil || !strings.Contains(strings.Join(warnings, "\n"), `the id "../x" is not the name of a run`) {
		t.Errorf("an id that leaves its folder: %q, %v", warnings, err)
	}
}

// A folder that a process is about to make a run is no foreign one. If the process has
// died, it is.
func TestFoldersOfRunsThatBegin(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "runs", "begins")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	lock, err := OS().Lock(filepath.Join(dir, "lock"), "me")
	if err != nil {
		t.Fatal(err)
	}
	if runs, warnings, err := List(OS(), root); len(runs)+len(warnings) > 0 || err != nil {
		t.Errorf("a run that begins: %v, %q, %v", runs, warnings, err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if _, warnings, _ := List(OS(), root); len(warnings) != 1 || !strings.Contains(warnings[0], "begins is not a run: it has no manifest.json") {
		t.Errorf("a run that was never made: %q", warnings)
	}
}

// A run is known by the id in its manifest, wherever it is and whatever its folder
// is called, and is there once.
func TestRunsAreKnownByTheirID(t *testing.T) {
	for what, move := range map[string]func(dir, elsewhere string) (named []string, from string, err error){
		"renamed": func(dir, _ string) ([]string, string, error) {
			to := filepath.Join(filepath.Dir(dir), "mine")
			return nil, to, os.Rename(dir, to)
		},
		"moved and linked back": func(dir, elsewhere string) ([]string, string, error) {
			return nil, dir, errors.Join(os.Rename(dir, elsewhere), os.Symlink(elsewhere, dir))
		},
		"moved and linked back under another name": func(dir, elsewhere string) ([]string, string, error) {
			to := filepath.Join(filepath.Dir(dir), "mine")
			return nil, to, errors.Join(os.Rename(dir, elsewhere), os.Symlink(elsewhere, to))
		},
		"moved and named": func(dir, elsewhere string) ([]string, string, error) {
			return []string{elsewhere}, elsewhere, os.Rename(dir, elsewhere)
		},
		"moved, linked back and named twice": func(dir, elsewhere string) ([]string, string, error) {
			return []string{elsewhere, elsewhere + "/."}, elsewhere, errors.Join(os.Rename(dir, elsewhere), os.Symlink(elsewhere, dir))
		},
		"copied": func(dir, _ string) ([]string, string, error) {
			return nil, dir, os.CopyFS(filepath.Join(filepath.Dir(dir), "a"), os.DirFS(dir))
		},
		"copied and named": func(dir, elsewhere string) ([]string, string, error) {
			return []string{elsewhere}, elsewhere, os.CopyFS(elsewhere, os.DirFS(dir))
		},
	} {
		root := t.TempDir()
		r, err := Create(OS(), root, testManifest(), testConfig)
		if err == nil {
			err = r.Interrupt()
		}
		if err != nil {
			t.Fatal(err)
		}
		named, from, err := move(r.Dir(), filepath.Join(t.TempDir(), "x"))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		runs, _, err := List(OS(), root, named...)
		if err != nil || len(runs) != 1 || runs[0].Manifest.ID != r.ID() || runs[0].Dir != from {
			t.Errorf("%s: %v, %v; want one in %s", what, runs, err, from)
		}
		rec, err := Find(OS(), root, r.ID())
		if (err != nil) != (what == "moved and named") {
			t.Errorf("%s: found %v, %v", what, rec, err)
		}
	}
	if _, _, err := List(OS(), t.TempDir(), "nowhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a named folder that is not there: %v", err)
	}
}
