package main

import (
	"bufio"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/record"
)

// A signal that comes before anybody listens, as while a run's folder is being
// made, is neither lost nor the end of the program.
func TestSignalIsKept(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if sig == syscall.SIGHUP && signal.Ignored(sig) {
			continue // the tests run under nohup
		}
		s := catchSignals()
		if err := syscall.Kill(syscall.Getpid(), sig); err != nil {
			t.Fatal(err)
		}
		s.heed(slog.New(slog.DiscardHandler), "stopping", func() {})
		<-s.ctx.Done()
		var stopped *stoppedError
		if err := s.reason(s.ctx.Err()); !errors.As(err, &stopped) || stopped.code != 128+int(sig) {
			t.Errorf("%v: %v", sig, err)
		}
		s.close()
	}
}

// A signal that comes while a run's folder is being made waits until it is there.
func TestSignalWhileTheFolderIsMade(t *testing.T) {
	s, failed := &session{}, errors.New("no folder")
	err := s.attach(func() error {
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(time.Minute); len(s.stop.calls) == 0; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				return errors.New("the signal was not kept")
			}
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Error(err)
	}
	s.release()
}

// Ctrl-C ends all of "macpro run 2>&1 | tee log" at once: a run whose output
// nobody reads any more still writes its checkpoint.
func TestStoppedRunOutlivesItsReader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	line := strings.NewReplacer("--quiet", "", "steps_per_task=1000", "steps_per_task=1000000").Replace(program.Short)
	cmd := exec.Command("macpro", words(line)...)
	cmd.Dir = dir
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = write, write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	for b := bufio.NewScanner(read); b.Scan() && !strings.Contains(b.Text(), "task_start"); {
	}
	_ = read.Close()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if rec := program.OnlyRun(t, dir); rec.Status != record.Interrupted || cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("exit code %d, the run is %s", cmd.ProcessState.ExitCode(), rec.Status)
	} else if c, _, err := rec.LatestCheckpoint(); err != nil || c == nil {
		t.Errorf("no checkpoint: %v", err)
	}
}
