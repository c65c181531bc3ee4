package core

import (
	"fmt"
	"math"

	"macpro/core/names"
)

// The largest sizes that a task may have. They are far above those of any known
// benchmark: what is larger is a slip, and would take all memory.
const (
	MaxAgents  = 1 << 12
	MaxActions = 1 << 16
	MaxWidth   = 1 << 20 // floats in an observation, a state, a feature list or a hidden state
	MaxLimit   = 1 << 20 // transitions of an episode
	MaxLanes   = 1 << 16
	MaxHeads   = 1 << 16 // of a learner
)

// The largest lists and texts of a family's description.
const (
	MaxSequences = 1 << 10
	MaxTasks     = 1 << 14 // of a sequence, and of a family
	MaxParams    = 1 << 10 // of a task
	MaxText      = 1 << 12 // bytes of a text
)

// InRange is an error unless low <= value <= high; field is the word for it.
func InRange(field string, value, low, high int64) error {
	if value < low || value > high {
		return fmt.Errorf("%s is %d, want %d to %d", field, value, low, high)
	}
	return nil
}

// Check is an error unless every size of a task is within its bounds. It names the
// task, the field, the value and the bounds.
func (s EnvSpec) Check() error {
	err := s.checkTexts()
	type size struct {
		field            string
		value, low, high int
	}
	sizes := []size{
		{"the number of agents", s.Agents, 1, MaxAgents}, {"the number of actions", s.Actions, 1, MaxActions},
		{"the width of an observation", s.ObsWidth, 1, MaxWidth}, {"the width of the state", s.StateWidth, 0, MaxWidth},
		{"the episode limit", s.Limit, 1, MaxLimit},
	}
	if e := s.Entities; e != nil {
		sizes = append(sizes, []size{
			{"entities: actions at no enemy", e.NonAttack, 0, MaxActions}, {"entities: enemies", e.Enemies, 0, MaxAgents},
			{"entities: features of moving", e.Move, 0, MaxWidth}, {"entities: own features", e.OwnObs, 0, MaxWidth},
			{"entities: features of an enemy", e.EnemyObs, 0, MaxWidth}, {"entities: features of an ally", e.AllyObs, 0, MaxWidth},
			{"entities: an enemy in the state", e.EnemyState, 0, MaxWidth}, {"entities: an ally in the state", e.AllyState, 0, MaxWidth},
		}...)
	}
	for _, c := range sizes {
		if err == nil {
			err = InRange(c.field, int64(c.value), int64(c.low), int64(c.high))
		}
	}
	if err != nil {
		return fmt.Errorf("task %q: %w", shortened(s.Task), err)
	}
	return nil
}

// checkTexts looks at what is not a size.
func (s EnvSpec) checkTexts() error {
	if err := names.Check(s.Env); err != nil {
		return fmt.Errorf("its environment: %w", err)
	}
	if err := names.Check(s.Task); err != nil {
		return err
	}
	if s.Score != ScoreReturn && s.Score != ScoreWinRate {
		return fmt.Errorf("the score is %q, want %q or %q", shortened(string(s.Score)), ScoreReturn, ScoreWinRate)
	}
	if math.IsNaN(s.MaxReturn) || math.IsInf(s.MaxReturn, 0) {
		return fmt.Errorf("the largest return is %g, want a finite number", s.MaxReturn)
	}
	return checkText("the hash", s.Hash)
}

// RecordBytes is the memory of one record of an episode, in bytes: observations,
// state, masks, actions and reward. A float64 holds any product of sizes.
func (s EnvSpec) RecordBytes() float64 {
	n := float64(s.Agents)
	return 4*n*float64(s.ObsWidth) + 4*float64(s.StateWidth) + n*float64(s.Actions) + 4*n + 4
}

// Check is an error unless the lists of a family are within their bounds.
func (l TaskList) Check() error {
	if err := InRange("the number of sequences", int64(len(l.Sequences)+len(l.Absent)), 0, MaxSequences); err != nil {
		return err
	}
	if err := InRange("the number of tasks", int64(len(l.Params)), 0, MaxTasks); err != nil {
		return err
	}
	for name, tasks := range l.Sequences {
		if err := names.Check(name); err != nil {
			return fmt.Errorf("a sequence: %w", err)
		}
		if err := checkTasks(fmt.Sprintf("sequence %q", name), tasks); err != nil {
			return err
		}
	}
	for name, hint := range l.Absent {
		if err := names.Check(name); err != nil {
			return fmt.Errorf("an absent sequence: %w", err)
		}
		if err := checkText(fmt.Sprintf("what absent sequence %q needs", name), hint); err != nil {
			return err
		}
		if _, ok := l.Sequences[name]; ok {
			return fmt.Errorf("sequence %q is among the absent ones, too", name)
		}
	}
	if err := checkTasks("generalization", l.Generalization); err != nil {
		return err
	}
	for task, params := range l.Params {
		if err := names.Check(task); err != nil {
			return fmt.Errorf("a task: %w", err)
		}
		if err := InRange(fmt.Sprintf("task %q: the number of constants", task), int64(len(params)), 0, MaxParams); err != nil {
			return err
		}
		for _, p := range params {
			for _, text := range []string{p.Name, p.Value} {
				if err := checkText("a constant", text); err != nil {
					return fmt.Errorf("task %q: %w", task, err)
				}
			}
		}
	}
	return nil
}

func checkTasks(list string, tasks []string) error {
	if err := InRange(list+": the number of tasks", int64(len(tasks)), 0, MaxTasks); err != nil {
		return err
	}
	for _, t := range tasks {
		if err := names.Check(t); err != nil {
			return fmt.Errorf("%s: a task: %w", list, err)
		}
	}
	return nil
}

func checkText(what, text string) error {
	if len(text) > MaxText {
		return fmt.Errorf("%s has %d bytes, want at most %d", what, len(text), MaxText)
	}
	return nil
}

// shortened is the beginning of a text that may be of any length.
func shortened(text string) string {
	if len(text) > names.MaxLen {
		return text[:names.MaxLen] + "..."
	}
	return text
}
