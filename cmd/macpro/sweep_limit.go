package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

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
