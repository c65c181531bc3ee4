package lwf

import (
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/learners/qmix"
)

func TestConformance(t *testing.T) {
	conform.MethodOn(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}))
}

func TestWithoutCoefItIsFinetuning(t *testing.T) {
	methodtest.Likewise(t, Plugin{}, finetuning.Plugin{}, qmix.Plugin{}, "lwf_coef", 5, true)
}

// The teacher is the network at the last task's end, and its values are the
// targets of every step.
func TestTeacher(t *testing.T) {
	l := &methodtest.Fake{Params: []float32{1, 2}, Values: []float32{7}}
	m := l.On(t, Plugin{}, "lwf_coef", 0.5, "lwf_temperature", 2.0)
	next := func() {
		t.Helper()
		if b, err := m.NextBatch(); err != nil || len(b) != 2 {
			t.Fatal(len(b), err)
		}
	}
	l.Task(t, m, 0, 3, func() {
		if next(); l.Term != nil {
			t.Errorf("a term in the first task: %+v", l.Term)
		}
		l.Params = []float32{3, 4}
	})
	l.Task(t, m, 1, 3, func() {
		l.Params = []float32{5, 6}
		next()
		if l.Term == nil || l.Term.Loss != core.ValueKL || l.Term.Coef != 0.5 || l.Term.Temperature != 2 || l.Term.Only ||
			len(l.Term.Targets) != 2 || !slices.Equal(l.Term.Targets[1], []float32{7}) {
			t.Errorf("term %+v", l.Term)
		}
		if !slices.Equal(l.Teacher, []float32{3, 4}) {
			t.Errorf("the teacher is %v", l.Teacher)
		}
	})
}

// With a large weight the values stay nearer to the last task's.
func TestDistillationHolds(t *testing.T) {
	loss := func(coef float64) float64 {
		rec, _, _ := methodtest.Play(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "lwf_coef", coef, "steps_per_task", 400))
		return methodtest.Last(t, rec, "train", "value_loss") / coef
	}
	if weak, strong := loss(1e-3), loss(100); strong > weak/2 {
		t.Errorf("the divergence is %v with a large weight, %v with a tiny one", strong, weak)
	}
}

func TestTemperature(t *testing.T) {
	_, err := Plugin{}.New(methodtest.Settings(t, Plugin{}, "lwf_temperature", 0.0, "batch_size", 2, "buffer_size", 8), core.Services{})
	if err == nil {
		t.Error("a temperature of 0 divides by zero")
	}
}
