package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"macpro/core/config"
	"macpro/core/continual"
	"macpro/core/store"
)

// networks are those of a recorded run's checkpoint, to be tested or exported.
type networks struct {
	*session
	rec        *store.Record
	checkpoint *store.Checkpoint
}

// loadNetworks loads the newest checkpoint of a run, or that of a step. Which
// tasks were trained is read from the checkpoint, so that a configuration with
// others is no obstacle. sets change keys.
func loadNetworks(out output, dir string, at int64, sets []string) (*networks, error) {
	rec, err := store.Load(store.OS(), dir)
	if err != nil {
		return nil, err
	}
	display := newDisplay(out.stderr, io.Discard, out.quiet, 0)
	c, err := checkpointOf(rec, at, func(w string) { display.log.Warn(w) })
	if err != nil {
		return nil, err
	}
	x, err := resolve(config.User{File: filepath.Join(dir, "config.yaml"), Sets: sets})
	if err != nil {
		return nil, err
	}
	if err := x.trained(c); err != nil {
		return nil, err
	}
	s, err := x.open(out)
	if err != nil {
		return nil, err
	}
	s.display = display
	for _, change := range s.changes(rec) {
		switch {
		case change.what == changedConfig && sets == nil:
			display.log.Warn("config.yaml is not what the run was recorded with; it is used as it is now")
		case change.what == changedConfig:
		case change.what == changedConstants && slices.ContainsFunc(sets, ofTasks):
			display.log.Warn("the tasks are not those that were trained: their constants were changed with --set")
		default:
			return nil, change.refuse(dir)
		}
	}
	if err := s.runner.Load(c.Open); err != nil {
		if len(sets) > 0 {
			err = fmt.Errorf("with %s: %w", strings.Join(sets, ", "), err)
		}
		return nil, fmt.Errorf("checkpoint %s: %w", c.Dir(), err)
	}
	return &networks{s, rec, c}, nil
}

// ofTasks tells whether key=value changes the tasks themselves.
func ofTasks(set string) bool { return strings.HasPrefix(set, "env_args.") }

// trained makes the tasks of a checkpoint those of the run. A checkpoint of
// another environment is an error.
func (x *experiment) trained(c *store.Checkpoint) error {
	var id continual.Identity
	err := c.Read(continual.PartRun, func(r io.Reader) (err error) {
		id, err = continual.ReadIdentity(r)
		return err
	})
	if err != nil {
		return fmt.Errorf("checkpoint %s: %w", c.Dir(), err)
	}
	if env := x.env.Info().Name; id.Env != env {
		return fmt.Errorf("checkpoint %s belongs to a run with env %s, this one has %s", c.Dir(), id.Env, env)
	}
	x.settings["tasks"] = id.Tasks
	return nil
}

// checkpointOf finds a checkpoint: the newest, or that of a step.
func checkpointOf(rec *store.Record, at int64, warn func(string)) (*store.Checkpoint, error) {
	if at >= 0 {
		c, err := rec.CheckpointAt(at)
		return c, usage(err)
	}
	c, warnings, err := rec.LatestCheckpoint()
	for _, w := range warnings {
		warn(w)
	}
	if err == nil && c == nil {
		err = usage(fmt.Errorf("%s has no checkpoint yet: there are no networks to test or export", rec.Dir))
	}
	return c, err
}
