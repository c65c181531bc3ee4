package onlineewc

import (
	"slices"
	"testing"

	"macpro/core/conform"
	"macpro/plugins/continual/internal/methodtest"
)

func TestConformance(t *testing.T) {
	conform.Method(t, Plugin{}, methodtest.Settings(t, Plugin{}, "fisher_episodes", 6))
}

// By hand: the importance fades by gamma, the anchor is the latest.
func TestImportanceFades(t *testing.T) {
	l := &methodtest.Fake{Params: []float32{1, 2}, Estimate: map[string][]float32{"td_loss": {1, 3}}}
	m := l.On(t, Plugin{}, "ewc_lambda", 10.0, "ewc_gamma", 0.5)
	l.Task(t, m, 0, 3, func() {})
	l.Estimate["td_loss"] = []float32{4, 4}
	l.Task(t, m, 1, 3, func() { l.Params = []float32{7, 8} })
	p := l.Penalties
	want := []float32{0.5*0.5 + 1, 0.5*1.5 + 1} // each task's importance is divided by its mean
	if len(p) != 1 || p[0].Coef != 5 || !slices.Equal(p[0].Importance, want) || !slices.Equal(p[0].Anchor, []float32{7, 8}) {
		t.Errorf("%+v, want importance %v", p, want)
	}
}

// The method fades by default, where ewc sums up.
func TestDefaults(t *testing.T) {
	if g := methodtest.Settings(t, Plugin{})["ewc_gamma"]; g != 0.9 {
		t.Errorf("ewc_gamma is %v", g)
	}
}
