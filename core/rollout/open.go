package rollout

import (
	"fmt"

	"macpro/core"
	"macpro/core/memory"
)

// Open opens instances of a task for a player. Sizes that
// are out of bounds, or whose frames and episodes do not fit into memory, are
// refused before anything of that size is made.
func Open(p core.EnvPlugin, task string, lanes int, s core.Settings) (core.Env, error) {
	e, err := p.Open(task, lanes, s)
	if err != nil {
		return nil, err
	}
	spec := e.Spec()
	if err = spec.Check(); err == nil && spec.Task != task {
		err = fmt.Errorf("task %q: it describes itself as %q", task, spec.Task)
	}
	if err == nil {
		err = Fits(spec, lanes)
	}
	if err != nil {
		_ = e.Close() // the fault counts
		return nil, fmt.Errorf("environment %s: %w", p.Info().Name, err)
	}
	return e, nil
}

// Fits is an error if whole episodes of a task do not fit into memory.
func Fits(s core.EnvSpec, episodes int) error {
	what := fmt.Sprintf("task %q: %d episodes side by side of up to %d steps (%d agents, %d actions, observations of %d, a state of %d)",
		s.Task, episodes, s.Limit, s.Agents, s.Actions, s.ObsWidth, s.StateWidth)
	return memory.Fits(what, float64(episodes)*float64(s.Limit+1)*s.RecordBytes())
}

// CheckHidden is an error if a learner's hidden state has a width that none has.
func CheckHidden(l core.Learner) error {
	return core.InRange("the width of its hidden state", int64(l.HiddenWidth()), 0, core.MaxWidth)
}
