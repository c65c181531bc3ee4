package continual_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/core/metrics"
)

// covered lists the tasks of each test at a task's end, by the number of tasks that were
// trained by then.
func covered(rec *tape, mode string) map[int][]int {
	out := map[int][]int{}
	for _, x := range rec.of("test") {
		if after, ok := x.F["after"].(float64); ok && x.F["mode"] == mode {
			out[int(after)] = append(out[int(after)], int(x.F["index"].(float64)))
		}
	}
	return out
}

// averagesOfNewest checks that the average at a task's end is the mean over the tasks so
// far: of each the last two tests since the task's start, or, if this test left it out,
// the last two of all.
func averagesOfNewest(t *testing.T, choice string, rec *tape) {
	t.Helper()
	type tested struct {
		step, score float64
		after       any
	}
	tests, from := map[int][]tested{}, 0.0
	of := func(i, after int) float64 {
		all := tests[i]
		two := all[max(0, len(all)-2):]
		if two[len(two)-1].after == float64(after) && two[0].step <= from && from > 0 {
			two = two[1:]
		}
		return metrics.Mean([]float64{two[0].score, two[len(two)-1].score})
	}
	for _, x := range rec.all() {
		switch {
		case x.Kind == "task_start":
			from = float64(x.T)
		case x.Kind == "test" && x.F["mode"] == mini.ModeSteps:
			i := int(x.F["index"].(float64))
			tests[i] = append(tests[i], tested{float64(x.T), x.F["score"].(float64), x.F["after"]})
		case x.Kind == "task_end":
			n, sum := int(x.F["index"].(float64))+1, 0.0
			for i := range n {
				sum += of(i, n)
			}
			average, ok := x.F["final_average"].(map[string]any)[mini.ModeSteps].(float64)
			if !ok || math.Abs(average-sum/float64(n)) > 1e-12 {
				t.Errorf("%s: average %v after %d tasks, want %v", choice, average, n, sum/float64(n))
			}
		}
	}
}

// Tests cover the task in training, the chosen ones and the next; the first and the last
// cover all. Training is the same, and the measures over tasks are defined.
func TestChosenTasks(t *testing.T) {
	const tasks = 12
	run := func(choice string) (*tape, *continual.Runner) {
		rec := &tape{t: t}
		r := start(t, rec, options("sequence_repeat", 4, "steps_per_task", 40, "test_interval", 20, "test_tasks", choice))
		res := finish(t, r)
		m := res.Metrics[mini.ModeSteps]
		for name, x := range map[string]float64{"final average": float64(m.FinalAverage), "BWT": float64(m.BackwardTransfer), "forgetting": float64(m.ForgettingGEM), "FWT0": float64(m.ForwardTransfer)} {
			if math.IsNaN(x) {
				t.Errorf("%s: %s is not defined", choice, name)
			}
		}
		return rec, r
	}
	_, whole := run("all")
	all := parts(t, whole)
	for choice, k := range map[string]int{"window(2)": 2, "sample(3)": 3, "sample(0)": 0, "window(1)": 1} {
		rec, r := run(choice)
		sameParts(t, choice, all, parts(t, r), continual.PartRun)
		drawn := map[string]bool{}
		for row, got := range covered(rec, mini.ModeSteps) {
			if row == 0 || row == tasks {
				if len(got) != tasks {
					t.Errorf("%s: test %d covers %v", choice, row, got)
				}
				continue
			}
			n := min(k, row-1)
			if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != n+2 || got[n] != row-1 || got[n+1] != row {
				t.Errorf("%s: after %d tasks %v are tested", choice, row, got)
			}
			if strings.HasPrefix(choice, "window") && n > 0 && got[0] != row-1-n {
				t.Errorf("%s: after %d tasks %v are tested", choice, row, got)
			}
			if n > 0 {
				drawn[fmt.Sprint(got[0]-row)] = true
			}
		}
		if choice == "sample(3)" && len(drawn) < 3 {
			t.Errorf("the drawn tasks are always those before: %v", drawn)
		}
		averagesOfNewest(t, choice, rec)
	}
	for _, text := range []string{"", "sample", "sample()", "sample(-1)", "sample(03)", "window(2", "first(2)", "sample(9999999)"} {
		if _, err := continual.Parse(options("test_tasks", text).Settings); err == nil || !strings.Contains(err.Error(), "sample(5)") {
			t.Errorf("test_tasks %q: %v", text, err)
		}
	}
}

// The number of tests grows with the number of tasks, not with its square.
func TestCostIsLinear(t *testing.T) {
	tests := func(rounds int, choice string) float64 {
		r := start(t, nil, options("sequence_repeat", rounds, "steps_per_task", 40, "test_interval", 20, "test_tasks", choice))
		return float64(finish(t, r).TestEnvSteps) / float64(3*rounds)
	}
	for _, c := range []struct {
		choice string
		most   float64
	}{{"sample(2)", 1.4}, {"window(2)", 1.4}, {"all", 10}} {
		few, many := tests(4, c.choice), tests(16, c.choice)
		t.Logf("%s: %.0f test transitions a task in 12 tasks, %.0f in 48", c.choice, few, many)
		if many > c.most*few || c.choice == "all" && many < 2*few {
			t.Errorf("%s: %.0f test transitions a task in 12 tasks, %.0f in 48", c.choice, few, many)
		}
	}
}
