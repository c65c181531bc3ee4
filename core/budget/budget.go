// Package budget says for how many transitions the tasks of a run are trained.
package budget

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"macpro/core/names"
	"macpro/core/record"
)

// Budget says how many transitions each task of a sequence is trained for.
type Budget struct {
	StepsPerTask int64    `cfg:"steps_per_task" min:"1" max:"1e12" below:"steps_by_task" help:"training transitions per task, also for tasks to which a profile or file gives another number; set the keys below it, as in steps_per_task.13m=200000, for single tasks"`
	StepsByTask  []string `cfg:"steps_by_task" neutral:"[]" help:"tasks with another number of training transitions, as in 13m=200000; name#2 is the second task of a name. The same as keys below steps_per_task"`
}

// maxSteps bounds the transitions of a task.
const maxSteps = 1e12

// Of lists the transitions of the tasks of a sequence. A name stands for all tasks
// of that name, but for those with an entry of their own. Entries for other tasks do
// not count.
func (b Budget) Of(tasks []string) ([]int64, error) {
	own, err := b.entries()
	if err != nil {
		return nil, err
	}
	steps := make([]int64, len(tasks))
	for i, label := range record.Labels(tasks) {
		steps[i] = cmp.Or(own[label], own[tasks[i]], b.StepsPerTask)
	}
	return steps, nil
}

// Check refuses an entry for a task that is neither in the sequence nor one of the
// others, the tasks of the environment's other sequences: a profile has entries for
// tasks that not every run trains.
func (b Budget) Check(tasks, others []string) error {
	own, err := b.entries()
	if err != nil {
		return err
	}
	labels := record.Labels(tasks)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if !slices.Contains(labels, name) && !slices.Contains(others, name) {
			return fmt.Errorf("steps_by_task: %w", names.Unknown("task", name, labels))
		}
	}
	return nil
}

// entries are the transitions of single tasks, by name.
func (b Budget) entries() (map[string]int64, error) {
	own := map[string]int64{}
	for _, entry := range b.StepsByTask {
		name, value, _ := strings.Cut(entry, "=")
		name = strings.TrimSpace(name)
		n, err := wholeSteps(strings.TrimSpace(value))
		if err != nil {
			return nil, fmt.Errorf("steps_by_task %q: %w", entry, err)
		}
		if own[name] > 0 {
			return nil, fmt.Errorf("steps_by_task names %s twice", name)
		}
		own[name] = n
	}
	return own, nil
}

// wholeSteps reads a number of transitions; 2e5 is one.
func wholeSteps(text string) (int64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x != float64(int64(x)) || x < 1 || x > maxSteps {
		return 0, fmt.Errorf("%q is no whole number from 1 to %g of transitions; write task=steps, as in 13m=200000", text, float64(maxSteps))
	}
	return int64(x), nil
}
