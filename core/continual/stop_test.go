package continual_test

import (
	"fmt"
	"strings"
	"testing"

	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
)

// A task ends at the first test that fulfils stop_when, and not before. The bits of
// the task until then are those of a run without the rule, and a resumed run decides
// as one that was never stopped.
func TestStopWhen(t *testing.T) {
	settings := []any{"test_interval", 10, "steps_per_task", 200, "tasks", []string{"first", "second"}, "checkpoint_interval", 20, "test_nepisode", 4}
	base := &tape{t: t}
	finish(t, start(t, base, options(settings...)))
	scores, at := []float64{}, []int64{}
	for _, row := range base.of("test") {
		if row.Task == "first" && row.F["mode"] == mini.ModeOwn && row.T > 0 && row.T < 200 {
			scores, at = append(scores, row.F["score"].(float64)), append(at, row.T)
		}
	}
	const least, tests = 0.5, 2
	want := int64(0)
	for i := tests - 1; i < len(scores) && want == 0; i++ {
		if scores[i] >= least && scores[i-1] >= least {
			want = at[i]
		}
	}
	if want == 0 || want > 150 || want == at[tests-1] {
		t.Fatalf("the scores %v at %v are no test of the rule", scores, at)
	}
	settings = append(settings, "stop_when", fmt.Sprintf("score>=%g x%d", least, tests))
	whole := &tape{t: t}
	r := start(t, whole, options(settings...))
	result := finish(t, r)
	end := parts(t, r)
	ended := int64(0)
	for i, row := range whole.all() {
		x := whole.Rows[i]
		if row.Kind == "task_end" && ended == 0 {
			if ended = row.T; row.F["task_steps"] != float64(want) || row.F["stopped"] != "score>=0.5 x2" {
				t.Errorf("%+v, want %d steps", row, want)
			}
		}
		if ended == 0 && row.T < want && x != base.Rows[i] {
			t.Fatalf("row %d at %d is another one than without the rule:\n%s\n%s", i, row.T, x, base.Rows[i])
		}
	}
	if ended != want {
		t.Errorf("the task ended at %d, want %d", ended, want)
	}
	// The area of a task that ended early is that of its whole budget of 200.
	learned := r.Curves(mini.ModeOwn)[0]
	for len(learned) > 0 && learned[len(learned)-1].T > want {
		learned = learned[:len(learned)-1]
	}
	if got, area := float64(result.Metrics[mini.ModeOwn].Area[0]), learned.Area(0, 200); got != area {
		t.Errorf("the area under the first task's curve is %v, want %v", got, area)
	}
	if c := r.Curves(mini.ModeOwn)[0]; len(c) < 2 || result.R[mini.ModeOwn][1][0] < least {
		t.Errorf("curve %v, R %v", c, result.R)
	} else {
		for i := range c[1:] {
			if c[i].T >= c[i+1].T {
				t.Errorf("two points at %d", c[i].T)
			}
		}
	}
	for _, c := range whole.Checkpoints {
		again := &tape{Record: *whole.From(c), t: t}
		r := start(t, again, options(settings...))
		if err := conform.LoadParts(r, c.Parts); err != nil {
			t.Fatal(err)
		}
		finish(t, r)
		what := fmt.Sprint("resumed at ", c.Meta.TEnv)
		sameRows(t, what, again.Rows, whole.Rows)
		sameParts(t, what, parts(t, r), end)
	}
}

func TestStopWhenIsChecked(t *testing.T) {
	for text, want := range map[string]string{
		"score>0.5":         "it is no condition; write score>=0.95 x3",
		"return>=3":         "it is no condition",
		"score>=0.5 3":      "it is no condition",
		"score>=1.5":        "scores lie between 0 and 1, 1.5 does not",
		"score>=0":          "scores lie between 0 and 1",
		"score>=e":          "scores lie between 0 and 1",
		"score>=0.5 x0":     "x0 is no number of tests from 1 to 1000",
		"score>=0.5 x99999": "x99999 is no number of tests",
	} {
		_, err := continual.Parse(options("stop_when", text).Settings)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"none", "score>=0.95 x3", "score >= 1", "score>=.5 x 2"} {
		if _, err := continual.Parse(options("stop_when", text).Settings); err != nil {
			t.Error(err)
		}
	}
}
