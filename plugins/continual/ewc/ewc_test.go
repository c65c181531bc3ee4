package ewc

import (
	"bytes"
	"strings"
	"testing"

	"macpro/core/conform"
	"macpro/core/continual"
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

// With ewc_lambda 0 whole runs are those of Finetuning, bit for bit; with more
// they are in the first task and differ afterwards.
func TestWithoutLambdaItIsFinetuning(t *testing.T) {
	_, plain, _ := methodtest.Play(t, methodtest.Subject(t, finetuning.Plugin{}, qmix.Plugin{}))
	play := func(lambda float64, changes ...any) []byte {
		changes = append(changes, "ewc_lambda", lambda)
		_, parts, _ := methodtest.Play(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}, changes...))
		return parts[continual.PartLearner]
	}
	if !bytes.Equal(play(0), plain[continual.PartLearner]) {
		t.Error("ewc_lambda 0 is not Finetuning")
	}
	if bytes.Equal(play(100), plain[continual.PartLearner]) {
		t.Error("ewc_lambda 100 changes nothing")
	}
	one := []any{"tasks", []string{"first"}}
	_, alone, _ := methodtest.Play(t, methodtest.Subject(t, finetuning.Plugin{}, qmix.Plugin{}, one...))
	_, ewc, _ := methodtest.Play(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}, one...))
	if a := online(t, alone); a == "" || a != online(t, ewc) {
		t.Error("the first task differs from Finetuning")
	}
}

// online are the networks in a learner's state.
func online(t *testing.T, parts map[string][]byte) string {
	t.Helper()
	return methodtest.Tensors(t, parts[continual.PartLearner], "online.", "target.", "rms.")
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
