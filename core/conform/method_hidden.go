package conform

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"macpro/core"
	"macpro/core/continual"
)

// checkHidden: a method without the ability TaskFree is refused where boundaries are
// hidden, in a sentence that names the key. One with it trains as if the tasks were
// one, has a score for every seen task, and goes on from every checkpoint.
func checkHidden(s MethodSubject) error {
	s.Settings = maps.Clone(s.Settings)
	s.Settings["boundaries"] = "hidden"
	tasks, err := s.tasks()
	if err != nil {
		return err
	}
	s.Settings["tasks"] = []string{tasks[0], tasks[0]}
	if !core.RunsTaskFree(s.Plugin) {
		_, err := continual.New(s.options())
		if err == nil || !strings.Contains(err.Error(), "boundaries") {
			return fmt.Errorf("a method without the ability TaskFree and boundaries hidden: %v, want an error that names the key", err)
		}
		return nil
	}
	if err := oneTask(s); err != nil {
		return err
	}
	s.Settings["tasks"] = tasks
	return errors.Join(checkResume(s), checkScores(s))
}

// tasks names those of the subject's runs, the first of them twice if their shapes
// would tell them apart.
func (s MethodSubject) tasks() ([]string, error) {
	r, err := continual.New(s.options("boundaries", "told"))
	if err != nil {
		return nil, err
	}
	names, specs := r.Tasks(), r.Specs()
	for _, x := range specs[1:] {
		a := specs[0]
		if a.Agents != x.Agents || a.Actions != x.Actions || a.ObsWidth != x.ObsWidth || a.StateWidth != x.StateWidth || a.Limit != x.Limit {
			names = []string{names[0], names[0]}
			break
		}
	}
	return names, r.Close()
}

// oneTask: a hidden border between a task and itself changes nothing for learner and
// method. Episodes are played one by one, since a border ends a rollout.
func oneTask(s MethodSubject) error {
	s.Settings = maps.Clone(s.Settings)
	s.Settings["envs_per_rollout"] = 1
	twice := &Record{}
	want, res, err := twice.Play(s.options(), nil)
	if err != nil {
		return err
	}
	task := s.Settings["tasks"].([]string)[:1]
	got, _, err := (&Record{}).Play(s.options("tasks", task, "steps_per_task", int(res.TrainEnvSteps)), nil)
	if err == nil {
		err = SameParts(want, got, continual.PartRun)
	}
	if err != nil {
		return fmt.Errorf("boundaries hidden, task %s twice and once as long: %w; a method must not look for borders in budgets or tests", task[0], err)
	}
	return nil
}
