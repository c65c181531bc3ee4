package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// stoppedError says that a signal ended the work.
type stoppedError struct{ code int }

func (e *stoppedError) Error() string { return "stopped" }

// stopper cancels a context at the first SIGINT or SIGTERM and ends the program
// at the second.
type stopper struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	calls  chan os.Signal
}

// watchSignals starts to listen; close ends it. doing says what happens after
// the first signal.
func watchSignals(log *slog.Logger, doing string) *stopper {
	s := &stopper{calls: make(chan os.Signal, 2)}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	signal.Notify(s.calls, os.Interrupt, syscall.SIGTERM)
	go func() {
		first, open := <-s.calls
		if !open {
			return
		}
		code := 128 + int(first.(syscall.Signal))
		log.Warn(doing+"; another signal quits at once", "signal", first.String())
		s.cancel(&stoppedError{code})
		if _, open := <-s.calls; open {
			os.Exit(code)
		}
	}()
	return s
}

// reason turns the error of work that a signal has ended into a *stoppedError
// and leaves any other error as it is.
func (s *stopper) reason(err error) error {
	var stopped *stoppedError
	if errors.Is(err, context.Canceled) && errors.As(context.Cause(s.ctx), &stopped) {
		return stopped
	}
	return err
}

func (s *stopper) close() {
	signal.Stop(s.calls)
	close(s.calls)
	s.cancel(nil)
}
