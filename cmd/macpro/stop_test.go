package main

import (
	"errors"
	"log/slog"
	"syscall"
	"testing"
)

// A signal that comes before anybody listens, as while a run's folder is being
// made, is neither lost nor the end of the program.
func TestSignalIsKept(t *testing.T) {
	s := catchSignals()
	defer s.close()
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.heed(slog.New(slog.DiscardHandler), "stopping")
	<-s.ctx.Done()
	var stopped *stoppedError
	if err := s.reason(s.ctx.Err()); !errors.As(err, &stopped) || stopped.code != 128+int(syscall.SIGTERM) {
		t.Errorf("%v", err)
	}
}
