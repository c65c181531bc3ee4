package continual

import (
	"fmt"

	"macpro/core"
	"macpro/core/rng"
)

// rounds repeats the tasks of a sequence, each round in its own order if they are
// shuffled.
func (c *Config) rounds(tasks []string) ([]string, error) {
	if n := c.Repeat * len(tasks); n > core.MaxTasks {
		return nil, fmt.Errorf("sequence_repeat %d times %d tasks are %d, want at most %d", c.Repeat, len(tasks), n, core.MaxTasks)
	}
	if !c.Drawn() {
		return tasks, nil
	}
	out, order := make([]string, 0, c.Repeat*len(tasks)), make([]int, len(tasks))
	for round := range c.Repeat {
		for i := range order {
			order[i] = i
		}
		if c.Shuffle {
			rng.New(uint64(c.Order)).Child("sequence").ChildInt(int64(round)).Stream().Perm(order)
		}
		for _, i := range order {
			out = append(out, tasks[i])
		}
	}
	return out, nil
}

// SequenceName tells the tasks and how they are repeated and ordered, as in
// train-x20-shuffled.
func (c *Config) SequenceName() string {
	name := c.Sequence
	if c.Repeat > 1 {
		name += fmt.Sprintf("-x%d", c.Repeat)
	}
	if c.Shuffle {
		name += "-shuffled"
	}
	return name
}

// Drawn says whether the tasks are repeated or shuffled.
func (c *Config) Drawn() bool { return c.Repeat > 1 || c.Shuffle }

// testSource is the parent of the streams of a task's tests. In a sequence of several
// rounds each task has tests of its own. Tasks of one name that are written down one
// by one share theirs.
func (r *Runner) testSource(task core.Task, mode string) rng.Source {
	src := r.root.Child("test", task.Spec.Task, mode)
	if before := r.before(task); r.cfg.Drawn() && before > 0 {
		src = src.Child("round").ChildInt(int64(before))
	}
	return src.ChildInt(r.state.TEnv)
}

// before counts the tasks of the same name before a task of the sequence.
func (r *Runner) before(task core.Task) (n int) {
	for _, name := range r.names[:max(0, task.Index)] {
		if name == task.Spec.Task {
			n++
		}
	}
	return n
}
