package mas

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
	s := methodtest.Settings(t, Plugin{}, "mas_episodes", 6)
	conform.Method(t, Plugin{}, s)
	t.Run("qmix", func(t *testing.T) {
		conform.MethodOn(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "mas_episodes", 6))
	})
}

func TestWithoutLambdaItIsFinetuning(t *testing.T) {
	methodtest.Likewise(t, Plugin{}, finetuning.Plugin{}, qmix.Plugin{}, "mas_lambda", 100, true)
}

// Importances add up over tasks, each divided by its mean; the anchor is the
// latest.
func TestOmega(t *testing.T) {
	for _, c := range []struct {
		norm string
		want []float32
	}{{"mean", []float32{0.5 + 1, 1.5 + 1}}, {"none", []float32{1 + 4, 3 + 4}}} {
		source := string(core.ImportanceValues)
		l := &methodtest.Fake{Params: []float32{1, 2}, Estimate: map[string][]float32{source: {1, 3}}}
		m := l.On(t, Plugin{}, "mas_lambda", 2.0, "mas_episodes", 3, "mas_norm", c.norm)
		l.Task(t, m, 0, 5, func() {})
		if l.Seen != 3 {
			t.Errorf("%d episodes were used, want 3", l.Seen)
		}
		l.Estimate[source] = []float32{4, 4}
		l.Task(t, m, 1, 2, func() { l.Params = []float32{7, 8} })
		p := l.Penalties
		if len(p) != 1 || p[0].Coef != 2 || !slices.Equal(p[0].Importance, c.want) || !slices.Equal(p[0].Anchor, []float32{7, 8}) {
			t.Errorf("norm %s: %+v, want importance %v", c.norm, p, c.want)
		}
	}
}
