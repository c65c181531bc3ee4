package experiment

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

// Networks are those of a recorded run's checkpoint, to be tested or exported.
type Networks struct {
	*Session
	Record     *store.Record
	Checkpoint *store.Checkpoint
}

// LoadNetworks loads the newest checkpoint of a run, or that of a step; at is -1 for
// the newest. Which tasks were trained is read from the checkpoint, so that a
// configuration with others is no obstacle. sets change keys. w may be nil. The
// caller closes the Runner.
func LoadNetworks(dir string, at int64, sets []string, w Watch) (*Networks, error) {
	if w == nil {
		w = &logging{}
	}
	rec, err := store.Load(store.OS(), dir)
	if err != nil {
		return nil, err
	}
	c, err := checkpointOf(rec, at, w.Warn)
	if err != nil {
		return nil, err
	}
	x, err := Resolve(config.User{File: filepath.Join(dir, "config.yaml"), Sets: sets})
	if err != nil {
		return nil, err
	}
	if err := x.trained(c); err != nil {
		return nil, err
	}
	s, err := x.Open(w)
	if err != nil {
		return nil, err
	}
	for _, change := range s.changes(rec) {
		switch {
		case change.what == changedConfig && sets == nil:
			w.Warn("config.yaml is not what the run was recorded with; it is used as it is now")
		case change.what == changedConfig:
		case change.what == changedConstants && slices.ContainsFunc(sets, OfTasks):
			w.Warn("the tasks are not those that were trained: their constants were changed with --set")
		default:
			return nil, change.refuse(dir)
		}
	}
	if err := s.Runner.Load(c.Open); err != nil {
		if len(sets) > 0 {
			err = fmt.Errorf("with %s: %w", strings.Join(sets, ", "), err)
		}
		return nil, fmt.Errorf("checkpoint %s: %w", c.Dir(), err)
	}
	return &Networks{s, rec, c}, nil
}

// OfTasks tells whether key=value changes the tasks themselves.
func OfTasks(set string) bool { return strings.HasPrefix(set, "env_args.") }

// trained makes the tasks of a checkpoint those of the run. A checkpoint of
// another environment is an error.
func (x *Experiment) trained(c *store.Checkpoint) error {
	id, err := identityOf(c)
	if err != nil {
		return fmt.Errorf("checkpoint %s: %w", c.Dir(), err)
	}
	if env := x.Env.Info().Name; id.Env != env {
		return fmt.Errorf("checkpoint %s belongs to a run with env %s, this one has %s", c.Dir(), id.Env, env)
	}
	x.trainedTasks = id.Tasks
	return nil
}

// identityOf says which run a checkpoint belongs to and where it stands.
func identityOf(c *store.Checkpoint) (id continual.Identity, err error) {
	err = c.Read(continual.PartRun, func(r io.Reader) (err error) {
		id, err = continual.ReadIdentity(r)
		return err
	})
	return id, err
}

// checkpointOf finds a checkpoint: the newest, or that of a step.
func checkpointOf(rec *store.Record, at int64, warn func(string)) (*store.Checkpoint, error) {
	if at >= 0 {
		c, err := rec.CheckpointAt(at)
		return c, Input(err)
	}
	c, warnings, err := rec.LatestCheckpoint()
	for _, w := range warnings {
		warn(w)
	}
	if err == nil && c == nil {
		err = Input(fmt.Errorf("%s has no checkpoint yet: there are no networks to test or export", rec.Dir))
	}
	return c, err
}
