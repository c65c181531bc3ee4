package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

type stoppedError struct{ code int }

func (e *stoppedError) Error() string { return "stopped" }

// stopper cancels a context at the first SIGINT, SIGTERM or SIGHUP and ends the
// program at the second.
type stopper struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	calls  chan os.Signal
}

// catchSignals keeps signals from ending the program, until close; they wait for
// heed. A SIGHUP that nohup hides stays hidden.
func catchSignals() *stopper {
	s := &stopper{calls: make(chan os.Signal, 2)}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	hidden := signal.Ignored(syscall.SIGHUP)
	signal.Notify(s.calls, os.Interrupt, syscall.SIGTERM)
	if !hidden {
		signal.Notify(s.calls, syscall.SIGHUP)
	}
	return s
}

func watchSignals(log *slog.Logger, doing string, quits func()) *stopper {
	s := catchSignals()
	s.heed(log, doing, quits)
	return s
}

// heed obeys the signals. doing says what happens after the first, quits has the last
// word at the second.
func (s *stopper) heed(log *slog.Logger, doing string, quits func()) {
	go func() {
		first, open := <-s.calls
		if !open {
			return
		}
		code := 128 + int(first.(syscall.Signal))
		log.Warn(doing+"; another signal quits at once", "signal", first.String())
		s.cancel(&stoppedError{code})
		if _, open := <-s.calls; open {
			said := make(chan struct{})
			go func() { quits(); close(said) }()
			select {
			case <-said:
			case <-time.After(5 * time.Second): // nobody reads it
			}
			os.Exit(code)
		}
	}()
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

// outliveReader keeps the program alive, until release, when it writes to an
// output that nobody reads any more: the write becomes an error. Ctrl-C ends tee in
// "macpro run 2>&1 | tee log" before the run has written its checkpoint.
func outliveReader() (release func()) {
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	return func() { signal.Stop(pipes) }
}

// errTimeLimit ends the work of a task whose time is nearly over.
var errTimeLimit = errors.New("the task's time is nearly over")

// watchTimeLimit cancels at SIGUSR1, which Slurm sends before a task's time is
// over. The result ends the watch and says whether the signal came.
func watchTimeLimit(cancel context.CancelCauseFunc) func() bool {
	signals := make(chan os.Signal, 1)
	var came atomic.Bool
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		if _, open := <-signals; open {
			came.Store(true)
			cancel(errTimeLimit)
		}
	}()
	return func() bool {
		signal.Stop(signals)
		close(signals)
		return came.Load()
	}
}
