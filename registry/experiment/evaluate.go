package experiment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/continual"
	"macpro/core/names"
	"macpro/core/record"
	"macpro/core/rollout"
)

// EvalOptions say what to test and how.
type EvalOptions struct {
	// Name is that of the evaluation in tables; "" is seen, all or generalization
	// if Tasks is, else "tasks".
	Name string
	// Tasks is "seen" (those whose training has begun), "all" (the run's sequence),
	// "generalization" (those that are only ever tested), or names of tasks and of the
	// environment's sequences, separated by commas. Modes are test modes separated by commas, "" for all of the method.
	Tasks, Modes string
	Episodes     int      // of a task and mode; 0 is test_nepisode
	Sets         []string // key=value, changed for the tests
	// Watch, if not nil, is shown every state, see continual.EvalOptions.
	Watch func(task, mode string, m rollout.Moment) error
}

// Evaluate tests the newest networks of the run in a folder and keeps the result
// there, where tables read it.
func Evaluate(ctx context.Context, dir string, o EvalOptions) (*record.Evaluation, error) {
	if err := CheckSets(o.Sets); err != nil {
		return nil, err
	}
	n, err := LoadNetworks(dir, -1, o.Sets, nil)
	if err != nil {
		return nil, err
	}
	e, _, err := n.Evaluate(ctx, o)
	if err = errors.Join(err, n.Runner.Close()); err != nil {
		return nil, err
	}
	_, err = n.Record.SaveEvaluation(e)
	return e, err
}

// Evaluate tests the networks. The record of it is not kept yet.
func (n *Networks) Evaluate(ctx context.Context, o EvalOptions) (*record.Evaluation, []continual.TestResult, error) {
	what, err := n.Tests(o, n.Runner.Begun())
	if err != nil {
		return nil, nil, err
	}
	what.Watch = o.Watch
	results, err := n.Runner.Evaluate(ctx, what)
	if err != nil {
		return nil, nil, err
	}
	if len(results) == 0 {
		return nil, nil, Input(fmt.Errorf("none of the modes %s is defined for %s: nothing was tested",
			strings.Join(what.Modes, ", "), strings.Join(what.Tasks, ", ")))
	}
	e, err := n.evaluation(o, results)
	return e, results, err
}

// CheckSets refuses to change what the checkpoint knows.
func CheckSets(sets []string) error {
	for _, set := range sets {
		switch key, _, _ := strings.Cut(set, "="); key {
		case "tasks", "sequence":
			return fmt.Errorf("--set %s: the tasks that were trained are in the checkpoint; choose those to test with --tasks", set)
		case "env", "alg", "learner", "seed":
			return fmt.Errorf("--set %s: a checkpoint is tested with the %s that it was trained with", set, key)
		}
	}
	return nil
}

// Tests turns what was asked for into tasks and modes and checks their names. The
// training of the first seen tasks has begun.
func (s *Session) Tests(o EvalOptions, seen int) (continual.EvalOptions, error) {
	e := continual.EvalOptions{Episodes: o.Episodes, Modes: s.Runner.Modes()}
	if o.Modes != "" {
		e.Modes = nil
		for _, m := range strings.Split(o.Modes, ",") {
			if !slices.Contains(e.Modes, m) {
				e.Modes = append(e.Modes, m)
			}
		}
	}
	modes := slices.Concat(s.Runner.Modes(), s.Runner.EvalModes())
	for _, m := range e.Modes {
		if !slices.Contains(modes, m) {
			return e, Input(names.Unknown("test mode of "+s.Method.Info().Name, m, modes))
		}
	}
	list, err := s.Env.Tasks(s.Settings)
	if err != nil {
		return e, err
	}
	e.Tasks, err = s.testTasks(strings.Split(o.Tasks, ","), list, record.Labels(s.Runner.Tasks()), seen)
	return e, err
}

// testTasks are the tasks that words name: groups, tasks of the run, tasks of the
// environment or its sequences, whichever has the name first.
func (s *Session) testTasks(words []string, list core.TaskList, all []string, seen int) ([]string, error) {
	env := s.Env.Info().Name
	groups := maps.Clone(list.Sequences)
	if groups == nil {
		groups = map[string][]string{}
	}
	known := slices.Concat(TaskOrder(list), all)
	for _, t := range known {
		groups[t] = []string{t}
	}
	groups["seen"], groups["all"], groups["generalization"] = all[:seen], all, list.Generalization
	var out []string
	for _, word := range words {
		tasks, ok := groups[word]
		hint := list.Absent[word]
		switch {
		case !ok && hint != "":
			return nil, Input(fmt.Errorf("--tasks %s: %s has no such sequence with these settings: %s", word, env, hint))
		case !ok:
			return nil, Input(names.Unknown("task of "+env, word, slices.Sorted(maps.Keys(groups))))
		case len(tasks) == 0:
			return nil, Input(fmt.Errorf("--tasks %s: %s has no such tasks", word, env))
		}
		for _, t := range tasks {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out, nil
}

func (n *Networks) evaluation(o EvalOptions, results []continual.TestResult) (*record.Evaluation, error) {
	base, err := n.baseHash(o.Sets)
	if err != nil {
		return nil, err
	}
	e := &record.Evaluation{
		Run: n.Record.Manifest.ID, Name: o.label(), Sets: o.Sets, TEnv: n.Checkpoint.TEnv, Checkpoint: n.Checkpoint.Digest(),
		ConfigHash: n.Config.Hash(), Edited: base != n.Record.Manifest.ConfigHash,
	}
	for _, r := range results {
		e.Tests = append(e.Tests, r.EvaluationTest)
	}
	asked := record.Asked{Tasks: o.Tasks, Modes: o.Modes, Given: o.Episodes}.Count(e.Tests)
	e.Asked = &asked
	return e, nil
}

// baseHash is the hash of the run's configuration as it is now, without the keys
// that the tests change.
func (n *Networks) baseHash(sets []string) (string, error) {
	if len(sets) == 0 {
		return n.Config.Hash(), nil
	}
	x, err := Resolve(config.User{File: filepath.Join(n.Record.Dir, "config.yaml")})
	if err != nil {
		return "", err
	}
	return x.Config.Hash(), nil
}

// label is the name of an evaluation that the user gives none.
func (o *EvalOptions) label() string {
	switch {
	case o.Name != "":
		return o.Name
	case slices.Contains([]string{"seen", "all", record.Generalization}, o.Tasks):
		return o.Tasks
	}
	return "tasks"
}
