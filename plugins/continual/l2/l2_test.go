package l2

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

func TestWithoutCoefItIsFinetuning(t *testing.T) {
	methodtest.Likewise(t, Plugin{}, finetuning.Plugin{}, qmix.Plugin{}, "l2_coef", 10, true)
}

// The anchor is where the last task ended, and there is one term only.
func TestAnchor(t *testing.T) {
	l := &methodtest.Fake{Params: []float32{1, 2}}
	m := l.On(t, Plugin{}, "l2_coef", 0.5)
	l.Task(t, m, 0, 2, func() { l.Params = []float32{3, 5} })
	l.Task(t, m, 1, 2, func() {
		if len(l.Penalties) != 1 || !slices.Equal(l.Penalties[0].Anchor, []float32{3, 5}) || l.Penalties[0].Importance != nil || l.Penalties[0].Coef != 0.5 {
			t.Errorf("in the second task: %+v", l.Penalties)
		}
		l.Params = []float32{4, 4}
	})
	if len(l.Penalties) != 1 || !slices.Equal(l.Penalties[0].Anchor, []float32{4, 4}) {
		t.Errorf("after the second task: %+v", l.Penalties)
	}
}
