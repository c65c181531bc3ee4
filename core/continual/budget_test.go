package continual_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macpro/core/conform"
	"macpro/core/continual"
)

// Tasks are trained for their own number of transitions, also after a stop, and
// the run's total is their sum. The first task is what it was without.
func TestStepsByTask(t *testing.T) {
	change := []any{"steps_by_task", []string{"second=60", "third=250"}, "checkpoint_interval", 40}
	whole := &tape{t: t}
	r := start(t, whole, options(change...))
	if b := r.Budget(); !slices.Equal(b, []int64{160, 60, 250}) || r.Total() != 470 {
		t.Fatalf("budget %v, total %d", b, r.Total())
	}
	finish(t, r)
	end := parts(t, r)
	var steps []float64
	for _, row := range whole.of("task_end") {
		steps = append(steps, row.F["task_steps"].(float64))
	}
	for i, least := range []float64{160, 60, 250} {
		if len(steps) != 3 || steps[i] < least || steps[i] > least+10 {
			t.Errorf("the tasks were trained for %v transitions", steps)
		}
	}
	plain := &tape{t: t}
	finish(t, start(t, plain, options("checkpoint_interval", 40)))
	first := func(rec *tape) conform.Checkpoint {
		i := slices.IndexFunc(rec.Checkpoints, func(c conform.Checkpoint) bool { return c.Meta.Reason == continual.ReasonTaskEnd })
		return rec.Checkpoints[i]
	}
	sameRows(t, "the first task", whole.Rows[:first(whole).Rows], plain.Rows[:first(plain).Rows])
	for i, c := range whole.Checkpoints {
		if i%4 != 1 {
			continue
		}
		again := &tape{Record: *whole.From(c), t: t}
		r := start(t, again, options(change...))
		if err := conform.LoadParts(r, c.Parts); err != nil {
			t.Fatal(err)
		}
		finish(t, r)
		what := fmt.Sprintf("resumed at t_env %d", c.Meta.TEnv)
		sameRows(t, what, again.Rows, whole.Rows)
		sameParts(t, what, parts(t, r), end)
	}
	_, err := (&conform.Record{}).Runner(options("steps_by_task", []string{"fourth=1"}))
	if err == nil || !strings.Contains(err.Error(), `steps_by_task: unknown task "fourth"`) {
		t.Errorf("a task that is not trained: %v", err)
	}
}
