package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"macpro/core/store"
	"macpro/core/sweep"
)

// The speed of a kind of cell is measured for trialTime; a run that has trained
// too little by then, for up to longestTrial.
const (
	trialTime    = 10 * time.Second
	longestTrial = 5 * time.Minute
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
	e := s.Estimate(speeds, f.execution.jobs)
	for _, c := range e.Unknown {
		began := time.Now()
		speed, err := trySpeed(config[c.ID])
		if err != nil {
			return fmt.Errorf("measuring the speed of %s: %w", c.Label(), err)
		}
		fmt.Fprintf(w, "%s on %s with %s: %.0f steps/s, measured for %v from scratch\n", c.Alg, c.Env, c.Learner, speed, time.Since(began).Round(time.Second))
		speeds.Set(c, speed)
	}
	e = s.Estimate(speeds, f.execution.jobs)
	_, err := fmt.Fprintf(w, "sweep %s: %d cells, %d of them done already\nleft: %d cells, %d training steps, about %.1f hours with %d jobs on this machine\n",
		p.ID, e.Cells, e.Reused, e.Open, e.Steps, e.Duration.Hours(), f.execution.jobs)
	if err == nil && e.Episodes > 0 {
		_, err = fmt.Fprintf(w, "and evaluations of the networks: up to %d test episodes, besides probing; the hours do not count them\n", e.Episodes)
	}
	return err
}

// trySpeed runs a configuration for a while in a folder of its own and returns
// its training steps per second.
func trySpeed(config []byte) (float64, error) {
	dir, err := os.MkdirTemp("", "macpro-estimate-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "config.yaml")
	if err := store.WriteFile(store.OS(), file, config); err != nil {
		return 0, err
	}
	program, err := self()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cmd := exec.CommandContext(ctx, program[0], "run", "--config", file, "--out", dir, "--threads", "1", "--set", "log_interval=200", "--quiet")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	var failure error
	ended := make(chan struct{})
	go func() {
		failure = cmd.Wait()
		close(ended)
	}()
	look := time.NewTicker(trialTime)
	defer look.Stop()
	for began := time.Now(); ; {
		select {
		case <-ended:
			if failure != nil {
				return 0, fmt.Errorf("%w: %s", failure, said.Bytes())
			}
			return sweep.Speed(store.OS(), dir)
		case <-look.C:
			speed, err := sweep.Speed(store.OS(), dir)
			if err == nil || time.Since(began) > longestTrial {
				cancel()
				<-ended
				return speed, err
			}
		}
	}
}
