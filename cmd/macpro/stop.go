package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// stopper cancels a context at the first SIGINT or SIGTERM and ends the program
// at the second.
type stopper struct {
	ctx   context.Context
	done  context.CancelCauseFunc
	calls chan os.Signal
}

// watchSignals starts to listen; close ends it.
func watchSignals(parent context.Context, log *slog.Logger) *stopper {
	s := &stopper{calls: make(chan os.Signal, 2)}
	s.ctx, s.done = context.WithCancelCause(parent)
	signal.Notify(s.calls, os.Interrupt, syscall.SIGTERM)
	go func() {
		first, open := <-s.calls
		if !open {
			return
		}
		code := 128 + int(first.(syscall.Signal))
		log.Warn("finishing the current episode and writing a checkpoint; once more quits at once", "signal", first.String())
		s.done(&stoppedError{code})
		if _, open := <-s.calls; open {
			os.Exit(code)
		}
	}()
	return s
}

func (s *stopper) close() {
	signal.Stop(s.calls)
	close(s.calls)
	s.done(nil)
}
