package si

import (
	"bytes"
	"math"
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
	methodtest.Likewise(t, Plugin{}, finetuning.Plugin{}, qmix.Plugin{}, "si_coef", 10, true)
}

// step is a gradient step as a learner makes it: the hook, then the change.
func step(t *testing.T, l *methodtest.Fake, g, to []float32) {
	t.Helper()
	if err := l.Hook(append(g, 99)); err != nil { // the mixer's gradient comes behind
		t.Fatal(err)
	}
	l.Params = to
}

// Contributions along a path of two steps, by hand. The second parameter went up
// its own gradient: its sum is negative and counts as 0.
func TestPath(t *testing.T) {
	l := &methodtest.Fake{Params: []float32{0, 0, 1}}
	m := l.On(t, Plugin{}, "si_coef", 3.0, "si_xi", 0.5, "si_norm", "none")
	l.Task(t, m, 0, 2, func() {
		step(t, l, []float32{-1, 2, 0}, []float32{0.5, 1, 1})
		step(t, l, []float32{-2, 0, 0}, []float32{1.5, 1, 1})
	})
	// omega = 1*0.5 + 2*1 = 2.5; way 1.5
	want := []float64{2.5 / (1.5*1.5 + 0.5), 0, 0}
	check(t, l, want, []float32{1.5, 1, 1})

	// The second task adds to it, from a start of its own.
	l.Task(t, m, 1, 2, func() { step(t, l, []float32{1, 1, -4}, []float32{1.5, 0, 2}) })
	check(t, l, []float64{want[0], 1 / (1 + 0.5), 4 / (1 + 0.5)}, []float32{1.5, 0, 2})
}

func check(t *testing.T, l *methodtest.Fake, importance []float64, anchor []float32) {
	t.Helper()
	if len(l.Penalties) != 1 || l.Penalties[0].Coef != 3 {
		t.Fatalf("penalties %+v", l.Penalties)
	}
	for j, w := range importance {
		if p := l.Penalties[0]; math.Abs(float64(p.Importance[j])-w) > 1e-6 || p.Anchor[j] != anchor[j] {
			t.Errorf("parameter %d: importance %v at %v, want %v at %v", j, p.Importance[j], p.Anchor[j], w, anchor[j])
		}
	}
}

// A path goes on where a checkpoint has cut it.
func TestPathIsResumed(t *testing.T) {
	l := &methodtest.Fake{Params: []float32{0}}
	m := l.On(t, Plugin{}, "si_coef", 3.0, "si_xi", 0.5, "si_norm", "none")
	if err := m.BeginTask(core.Task{}, core.Progress{}); err != nil {
		t.Fatal(err)
	}
	step(t, l, []float32{-1}, []float32{1})
	if err := m.Trained(core.Progress{}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	m = l.On(t, Plugin{}, "si_coef", 3.0, "si_xi", 0.5, "si_norm", "none")
	if err := m.Load(&b); err != nil {
		t.Fatal(err)
	}
	step(t, l, []float32{-2}, []float32{2})
	if err := m.Trained(core.Progress{}); err != nil {
		t.Fatal(err)
	}
	if err := m.EndTask(core.Progress{}); err != nil {
		t.Fatal(err)
	}
	check(t, l, []float64{3 / (4 + 0.5)}, []float32{2})
}

func TestXi(t *testing.T) {
	_, err := Plugin{}.New(methodtest.Settings(t, Plugin{}, "si_xi", 0.0, "batch_size", 2, "buffer_size", 8, "log_interval", 10), core.Services{})
	if err == nil {
		t.Error("a xi of 0 divides by zero")
	}
}
