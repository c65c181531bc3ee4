package conform

import (
	"encoding/hex"
	"errors"
	"fmt"

	"macpro/core"
)

// checkSpecs: every listed task opens and is described consistently.
func checkSpecs(p core.EnvPlugin, s core.Settings) error {
	byHash := map[string]string{}
	return forTasks(p, s, taskNames, func(task string) error {
		var specs [2]core.EnvSpec
		for i := range specs {
			e, err := p.Open(task, i+1, s)
			if err != nil {
				return err
			}
			specs[i] = e.Spec()
			if err := e.Close(); err != nil {
				return fmt.Errorf("close: %w", err)
			}
		}
		if err := checkSpec(p.Info().Name, task, specs[0]); err != nil {
			return err
		}
		h := specs[0].Hash
		if h != specs[1].Hash {
			return errors.New("the hash depends on the number of lanes")
		}
		if other, taken := byHash[h]; taken {
			return fmt.Errorf("it and task %q have one hash", other)
		}
		byHash[h] = task
		return nil
	})
}

func checkSpec(env, task string, s core.EnvSpec) error {
	if s.Env != env || s.Task != task {
		return fmt.Errorf("the spec is of %s %s", s.Env, s.Task)
	}
	if err := s.Check(); err != nil {
		return err
	}
	if s.StateWidth < 1 || !(s.MaxReturn > 0) {
		return fmt.Errorf("the width of the state is %d and the largest return %g: both must be positive", s.StateWidth, s.MaxReturn)
	}
	if b, err := hex.DecodeString(s.Hash); err != nil || len(b) != 32 {
		return fmt.Errorf("the hash %q is not a SHA-256 in hexadecimal", s.Hash)
	}
	if s.Entities == nil {
		return nil
	}
	e := *s.Entities
	obs := e.Move + e.Enemies*e.EnemyObs + (s.Agents-1)*e.AllyObs + e.OwnObs
	state := s.Agents*e.AllyState + e.Enemies*e.EnemyState + s.Agents*s.Actions
	if obs != s.ObsWidth || state != s.StateWidth || e.NonAttack+e.Enemies != s.Actions {
		return fmt.Errorf("the entities add up to observation %d, state %d, actions %d, the spec says %d, %d, %d",
			obs, state, e.NonAttack+e.Enemies, s.ObsWidth, s.StateWidth, s.Actions)
	}
	return nil
}
