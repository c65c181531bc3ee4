//go:build slow

package bits_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/record"
	"macpro/core/rng"
	"macpro/core/store"
)

// calls are the operations on files that a run needs, and errors what they give.
var (
	calls  = []string{"write", "fsync", "renameat", "mkdirat", "unlinkat", "truncate", "flock", "openat", "getdents64", "close"}
	faults = []string{"ENOSPC", "EIO", "EDQUOT", "EACCES", "EROFS", "ENOLCK"}
)

// fault fails one operation on the files of a run, or all from one on.
func (x *torture) fault(s *rng.Stream, dir string) error {
	strace, err := exec.LookPath("strace")
	if err != nil {
		x.skipped["fault"] = err.Error()
		return nil
	}
	w, err := x.undisturbed(s)
	if err != nil {
		return err
	}
	if got, ended := x.killed(s, dir, w.took*3/4, words(w.line)); ended && got.Code != 0 {
		return fmt.Errorf("%s: %s", w.name, got)
	}
	rec, err := oneRun(dir)
	if err != nil || rec == nil || rec.Status == record.Done {
		return errors.Join(err, w.goesOn(dir))
	}
	run, err := filepath.Abs(rec.Dir)
	if err != nil {
		return err
	}
	when := fmt.Sprint(1 + s.Intn(30))
	if s.Intn(3) == 0 {
		when += "+"
	}
	op := calls[s.Intn(len(calls))]
	line := []string{strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + op,
		"-e", fmt.Sprintf("inject=%s:error=%s:when=%s", op, faults[s.Intn(len(faults))], when)}
	for _, name := range []string{"", "lock", "journal.jsonl", "manifest.json", "manifest.json.tmp", "final.json", "final.json.tmp", "config.yaml",
		"log.txt", "checkpoints", "checkpoints/unfinished", "checkpoints/unfinished/learner", "checkpoints/unfinished/index.json",
		"sacred/run.json.tmp", "sacred/metrics.json.tmp"} {
		line = append(line, "-P", filepath.Join(run, name))
	}
	program, err := exec.LookPath("macpro")
	if err != nil {
		return err
	}
	got := call(dir, append(line, program, "resume", "--quiet", run)...)
	if strings.Contains(got.Stderr, "ptrace") {
		x.skipped["fault"] = got.Stderr
		return nil
	}
	if text := trouble(got); text != "" {
		return fmt.Errorf("%s: %v: %s: %s", w.name, line[5:10], text, got)
	}
	if got.Code == 0 {
		return w.compare(dir)
	}
	return w.goesOn(dir)
}

// trouble finds what no call may print, whatever it meets.
func trouble(o program.Outcome) string {
	for _, text := range []string{"panic:", "goroutine ", "runtime error", "fatal error"} {
		if strings.Contains(o.Stderr, text) {
			return "it ends with a trace"
		}
	}
	switch {
	case o.Code < 0:
		return "it does not end"
	case o.Code != 0 && strings.TrimSpace(o.Stderr) == "":
		return "it fails without a word"
	}
	return ""
}

// full lets a file system fill up during a run.
func (x *torture) full(s *rng.Stream, dir string) error {
	w, err := x.undisturbed(s)
	if err != nil {
		return err
	}
	size := func(kb int) string { return fmt.Sprintf("size=%dk", kb) }
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, size(100+s.Intn(3000))); err != nil {
		x.skipped["full"] = fmt.Sprintf("a file system of a given size: %v", err)
		return nil
	}
	defer func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }()
	got := call(dir, words(w.line)...)
	if text := trouble(got); text != "" || got.Code != 0 && !strings.Contains(got.Stderr, "no space left on device") {
		return fmt.Errorf("%s: %s: %s", w.name, text, got)
	}
	if got.Code == 0 {
		return w.compare(dir)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, size(100_000)); err != nil {
		return err
	}
	return w.goesOn(dir)
}

// tamper changes a file of a run that goes on. The run says so, or its end is
// that of a run that nothing happened to.
func (x *torture) tamper(s *rng.Stream, dir string) error {
	w, err := x.undisturbed(s)
	if err != nil {
		return err
	}
	cmd := called(context.Background(), dir, words(w.line)...)
	if err := cmd.Start(); err != nil {
		return err
	}
	time.Sleep(time.Duration((.1 + s.Float64()) * float64(w.took)))
	did := ""
	if found, _ := filepath.Glob(filepath.Join(dir, "results/runs/*/manifest.json")); len(found) == 1 { // the pattern is right
		run := filepath.Dir(found[0])
		file := filepath.Join(run, []string{"lock", "journal.jsonl", "config.yaml", ""}[s.Intn(4)])
		switch s.Intn(3) {
		case 0:
			did, err = "removed "+file, os.RemoveAll(file)
		case 1:
			did, err = "renamed "+file, os.Rename(file, filepath.Clean(file)+".old")
		default:
			did, err = "changed "+file, os.WriteFile(filepath.Join(run, "journal.jsonl"), []byte("{}\n"), 0o600)
		}
	}
	giveUp := time.AfterFunc(patience, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	got := wait(cmd)
	giveUp.Stop()
	if text := trouble(got); text != "" {
		return fmt.Errorf("%s: %s: %s: %s", w.name, did, text, got)
	}
	runs, _, err := store.List(store.OS(), filepath.Join(dir, "results"))
	if got.Code != 0 {
		if len(runs) == 1 && runs[0].Status == record.Done {
			return fmt.Errorf("%s: %s: done, but %s", w.name, did, got)
		}
		return err
	}
	if strings.HasPrefix(did, "changed") || did != "" && (err != nil || len(runs) == 0 || runs[0].Status != record.Done) {
		return nil // after the run had ended
	}
	if err := w.compare(dir); err != nil && !strings.Contains(err.Error(), "no such file") {
		return fmt.Errorf("%s: %w", did, err)
	}
	return nil
}
