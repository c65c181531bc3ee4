package ewc

import (
	"strings"
	"testing"

	"macpro/core/conform"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/learners/qmix"
)

func TestConformance(t *testing.T) {
	for _, mode := range []string{"online", "separate", "last"} {
		t.Run(mode, func(t *testing.T) {
			conform.Method(t, Plugin{}, methodtest.Settings(t, Plugin{}, "ewc_mode", mode, "fisher_episodes", 6))
		})
	}
	t.Run("qmix", func(t *testing.T) {
		conform.MethodOn(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "fisher_episodes", 6))
	})
}

func TestWithoutLambdaItIsFinetuning(t *testing.T) {
	methodtest.Likewise(t, Plugin{}, finetuning.Plugin{}, qmix.Plugin{}, "ewc_lambda", 100, true)
}

// A large lambda keeps the network where the first task has left it.
func TestLambdaHolds(t *testing.T) {
	drift := func(lambda float64) float64 {
		rec, _, _ := methodtest.Play(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "ewc_lambda", lambda, "steps_per_task", 400))
		return methodtest.Last(t, rec, "fisher", "drift")
	}
	if free, held := drift(0), drift(1e4); held > free/2 {
		t.Errorf("the drift over the last task is %v, without a penalty %v", held, free)
	}
}

// The importance of the whole agent network is estimated from the task's own
// buffer, before it is emptied.
func TestFisherRows(t *testing.T) {
	rec, _, res := methodtest.Play(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "fisher_episodes", 7))
	rows := 0
	for _, row := range rec.Rows {
		if strings.Contains(row, `"kind":"fisher"`) {
			rows++
			if !strings.Contains(row, `"episodes":7`) || !strings.Contains(row, `"scope":"agent"`) {
				t.Errorf("row %s", row)
			}
		}
	}
	if rows != len(res.Tasks) {
		t.Errorf("%d rows for %d tasks", rows, len(res.Tasks))
	}
}
