package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"macpro/core/names"
	"macpro/core/store"
	"macpro/core/sweep"
)

// The speed of a kind of cell is measured for trialTime; a run that has trained
// too little by then, for up to longestTrial. One that ends before shortTrial is
// run again until so much time has passed.
const (
	trialTime    = 10 * time.Second
	longestTrial = 5 * time.Minute
	shortTrial   = 3 * time.Second
)

// printEstimate says what the sweep would cost on this machine. Speeds are those
// of finished runs; kinds of cells that were never run are tried for some
// seconds.
func (f *sweepFlags) printEstimate(w io.Writer, p sweep.Plan, cells []sweep.Resolved) error {
	s := &sweep.Sweep{Plan: p, Root: f.out, FS: store.OS()}
	config := map[string][]byte{}
	for i := range cells {
		s.Cells = append(s.Cells, &cells[i].Cell)
		config[cells[i].ID] = cells[i].Config
	}
	speeds := sweep.Recorded(store.OS(), f.out)
	jobs := cmp.Or(f.execution.Jobs, runtime.NumCPU())
	e := s.Estimate(speeds, jobs)
	for _, c := range e.Unknown {
		began := time.Now()
		speed, err := trySpeed(config[c.ID], c.Steps, sweep.Environ(p.Environ))
		if err != nil {
			return fmt.Errorf("measuring the speed of %s: %w", c.Label(), err)
		}
		fmt.Fprintf(w, "%s: %.0f steps/s, measured for %v from scratch\n", names.Plain(c.Alg+" on "+c.Env+" with "+c.Learner), speed, time.Since(began).Round(time.Second))
		speeds.Set(c, speed)
	}
	e = s.Estimate(speeds, jobs)
	_, err := fmt.Fprintf(w, "sweep %s: %s, %d of them done already\nleft: %s, %.0f training steps, about %s with %s on this machine\n",
		names.Plain(p.ID), names.Many(e.Cells, "cell"), e.Reused, names.Many(e.Open, "cell"), e.Steps, durationText(e.Seconds), names.Many(jobs, "job"))
	if err == nil && e.Episodes > 0 {
		_, err = fmt.Fprintf(w, "and evaluations of the networks: up to %d test episodes, besides probing; the time does not count them\n", e.Episodes)
	}
	return err
}

// trySpeed runs a configuration of some steps for a while in a folder of its own
// and returns its training steps per second. One that ends meanwhile counts with
// all of its time.
func trySpeed(config []byte, steps int64, environ []string) (float64, error) {
	dir, err := os.MkdirTemp("", "macpro-estimate-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "config.yaml")
	if err := store.WriteFile(store.OS(), file, config); err != nil {
		return 0, err
	}
	began := time.Now()
	for n := 1; ; n++ {
		out := filepath.Join(dir, strconv.Itoa(n))
		switch ended, err := tryRun(file, out, environ); {
		case err != nil:
			return 0, err
		case !ended:
			return sweep.Speed(store.OS(), out)
		}
		if d := time.Since(began); d >= shortTrial {
			return float64(n) * float64(steps) / d.Seconds(), nil
		}
	}
}

// tryRun starts a run and waits until it ends, or has gone on for long enough to
// tell its speed and is killed.
func tryRun(file, out string, environ []string) (ended bool, err error) {
	program, err := self()
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cmd := exec.CommandContext(ctx, program[0], "run", "--config", file, "--out", out, "--threads", "1", "--set", "log_interval=200", "--set", "from=none", "--quiet")
	cmd.Env = environ
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		return false, err
	}
	end := make(chan error, 1)
	go func() { end <- cmd.Wait() }()
	look := time.NewTicker(trialTime)
	defer look.Stop()
	for began := time.Now(); ; {
		select {
		case err := <-end:
			if err != nil {
				return true, fmt.Errorf("%w: %s", err, said.Bytes())
			}
			return true, nil
		case <-look.C:
			if _, err := sweep.Speed(store.OS(), out); err == nil || time.Since(began) > longestTrial {
				cancel()
				return <-end == nil, nil // it may have ended by itself just now
			}
		}
	}
}
