package continual

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"macpro/core"
	"macpro/core/names"
	"macpro/core/record"
	"macpro/core/rollout"
)

// EvalOptions say what to evaluate.
type EvalOptions struct {
	// Tasks names tasks of the environment; empty means those of the run, and
	// with Generalization also those that are only ever tested. The second task of
	// one name in the run's sequence is name#2, see record.Labels.
	Tasks          []string
	Generalization bool
	// Modes names modes of the method or of EvalModes; empty means all of the
	// method.
	Modes    []string
	Episodes int // per task and mode; 0 means test_nepisode
	// Each, if not nil, gets every result as it arrives.
	Each func(TestResult) error
	// Watch, if not nil, is shown every state of the episodes that are played for
	// a task, by its label, in a mode, see rollout.Plan.
	Watch func(task, mode string, m rollout.Moment) error
}

// Evaluate tests the run's current networks without changing anything that
// training can see. Its streams are those of the run's own tests, so that an
// evaluation of a checkpoint repeats the test of that time. Modes that are not
// defined for a task are left out.
func (r *Runner) Evaluate(ctx context.Context, o EvalOptions) ([]TestResult, error) {
	tasks, err := r.evalTasks(o)
	if err != nil {
		return nil, err
	}
	modes := o.Modes
	known := slices.Concat(r.modes, r.EvalModes())
	for _, m := range modes {
		if !slices.Contains(known, m) {
			return nil, names.Unknown("test mode of "+r.o.Method.Info().Name, m, known)
		}
	}
	if len(modes) == 0 {
		modes = r.modes
	}
	if o.Episodes < 0 {
		return nil, fmt.Errorf("%d episodes to evaluate", o.Episodes)
	}
	o.Episodes = cmp.Or(o.Episodes, r.cfg.TestEpisodes)
	var results []TestResult
	for _, task := range tasks {
		for _, mode := range modes {
			if err := ctx.Err(); err != nil {
				return results, err
			}
			t, err := r.evaluate(task, mode, o.Episodes, o.watch(r.label(task), mode))
			if err != nil {
				return results, err
			}
			if t == nil {
				continue
			}
			results = append(results, *t)
			if o.Each != nil {
				if err := o.Each(*t); err != nil {
					return results, err
				}
			}
		}
	}
	return results, nil
}

// label names a task for people.
func (r *Runner) label(t core.Task) string {
	if t.Index < 0 {
		return t.Spec.Task
	}
	return record.Labels(r.names)[t.Index]
}

// watch is what the player of a task's test is to show its states to.
func (o EvalOptions) watch(task, mode string) func(rollout.Moment) error {
	if o.Watch == nil {
		return nil
	}
	return func(m rollout.Moment) error { return o.Watch(task, mode, m) }
}

func (r *Runner) evalTasks(o EvalOptions) ([]core.Task, error) {
	list, err := r.o.Env.Tasks(r.o.Settings)
	if err != nil {
		return nil, err
	}
	labels, wanted := record.Labels(r.names), o.Tasks
	if len(wanted) == 0 {
		wanted = slices.Clone(labels)
		if o.Generalization {
			wanted = append(wanted, list.Generalization...)
		}
	}
	var tasks []core.Task
	for _, name := range wanted {
		if i := slices.Index(labels, name); i >= 0 {
			tasks = append(tasks, core.Task{Index: i, Spec: r.specs[i]})
			continue
		}
		if _, ok := list.Params[name]; !ok {
			return nil, names.Unknown("task of "+r.o.Env.Info().Name, name, slices.Sorted(maps.Keys(list.Params)))
		}
		p, err := r.extra.Player(name, 1)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, core.Task{Index: -1, Spec: p.Spec()})
	}
	return tasks, nil
}
