package l2init

import (
	"slices"
	"testing"

	"macpro/core/conform"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/learners/qmix"
)

func TestConformance(t *testing.T) {
	conform.Method(t, Plugin{}, methodtest.Settings(t, Plugin{}))
	t.Run("qmix", func(t *testing.T) { conform.MethodOn(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{})) })
}

// The pull acts in the first task already.
func TestWithoutCoefItIsFinetuning(t *testing.T) {
	methodtest.Likewise(t, Plugin{}, finetuning.Plugin{}, qmix.Plugin{}, "l2init_coef", 1, false)
}

// The anchor is where training began, in all tasks.
func TestAnchor(t *testing.T) {
	l := &methodtest.Fake{Params: []float32{1, 2}}
	m := l.On(t, Plugin{}, "l2init_coef", 0.25)
	for task := range 3 {
		l.Task(t, m, task, 2, func() {
			if len(l.Penalties) != 1 || !slices.Equal(l.Penalties[0].Anchor, []float32{1, 2}) || l.Penalties[0].Coef != 0.25 {
				t.Errorf("task %d: %+v", task, l.Penalties)
			}
			l.Params = []float32{float32(task), 9}
		})
	}
}
