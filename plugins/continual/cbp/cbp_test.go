package cbp

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/episode"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/learners/qmix"
)

func TestConformance(t *testing.T) {
	conform.MethodOn(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "cbp_rate", 0.05, "cbp_maturity", 4, "cbp_interval", 2))
}

// Units are replaced from the first task on.
func TestWithoutRateItIsFinetuning(t *testing.T) {
	for _, rate := range []float64{0, 0.2} {
		play := func(p core.MethodPlugin, changes ...any) string {
			_, parts, _ := methodtest.Play(t, methodtest.Subject(t, p, qmix.Plugin{}, changes...))
			return methodtest.Tensors(t, parts["learner"], "online.", "target.", "rms.")
		}
		same := play(Plugin{}, "cbp_rate", rate, "cbp_maturity", 0, "cbp_interval", 1) == play(finetuning.Plugin{})
		if same != (rate == 0) {
			t.Errorf("cbp_rate %v: Finetuning is %v", rate, same)
		}
	}
}

// A layer of three units that two units of the next one read. Parameters 0 to 5
// are their outgoing weights, and a layer of the head comes behind phi.
func fake() *methodtest.Fake {
	in := []core.Span{{Offset: 0, Unit: 1, Stride: 1, Count: 1}}
	return &methodtest.Fake{
		Params: []float32{1, -2, 0.5, 1, 0, -0.5},
		Shape: []core.Layer{
			{Name: "fc", Width: 3, In: in, Out: []core.Span{{Offset: 0, Unit: 1, Stride: 3, Count: 2}}},
			{Name: "head", Width: 2, In: []core.Span{{Offset: 99}}},
			{Name: "values", Width: 2},
		},
		Mean: map[string][]float32{"fc": {1, 0.25, 3}},
	}
}

// train makes gradient steps, one an episode.
func train(t *testing.T, m core.Method, steps int) {
	t.Helper()
	for i := range steps {
		e := &episode.Episode{Index: int64(i), T: 1, N: 1, A: 1, Avail: []uint8{1, 1}, Actions: []int32{0}, Reward: []float32{0}}
		if err := m.Collected(e, core.Progress{}); err != nil {
			t.Fatal(err)
		}
		if _, err := m.NextBatch(); err != nil {
			t.Fatal(err)
		}
		if err := m.Trained(core.Progress{}); err != nil {
			t.Fatal(err)
		}
	}
}

// Utilities by hand, and the unit of the least is replaced when its share is due.
func TestReplacement(t *testing.T) {
	l := fake()
	m := l.On(t, Plugin{}, "cbp_rate", 0.125, "cbp_maturity", 4, "cbp_decay", 0.5, "cbp_interval", 2).(*method)
	if len(m.layers) != 1 {
		t.Fatalf("%d layers of phi, want 1", len(m.layers))
	}
	if err := m.BeginTask(core.Task{}, core.Progress{}); err != nil {
		t.Fatal(err)
	}
	train(t, m, 1) // too few episodes for a batch of two
	train(t, m, 2) // the first update
	want := []float64{0.5 * 1 * (1 + 1), 0.5 * 0.25 * (2 + 0), 0.5 * 3 * (0.5 + 0.5)}
	utilities(t, m, want)
	train(t, m, 2)
	for j := range want {
		want[j] = 0.5*want[j] + want[j]
	}
	utilities(t, m, want)
	// All units are of age 4 now, and mature from 5 on: at the third update 0.125 * 3
	// units * 2 steps = 0.75 are due, at the fourth 1.5.
	if train(t, m, 2); l.Resets != nil {
		t.Errorf("reset too early: %v", l.Resets)
	}
	train(t, m, 2)
	if got := fmt.Sprint(l.Resets); got != "map[fc:[1]]" {
		t.Errorf("reset %s, want unit 1 of fc", got)
	}
	if u := m.layers[0]; u.utility[1] != 0 || u.age[1] != 0 || u.age[0] != 4 || math.Abs(u.due-0.5) > 1e-12 {
		t.Errorf("after it utility %v, age %v, due %v", u.utility, u.age, u.due)
	}
	// The new unit is not mature: the next one is another.
	l.Resets = nil
	train(t, m, 2)
	if got := fmt.Sprint(l.Resets); got != "map[fc:[0]]" {
		t.Errorf("reset %s, want unit 0 of fc", got)
	}
}

// A young unit's utility is compared without its start at 0, by hand: 0.5 at age 100
// is less than 0.3 / (1 - 0.5) at age 1.
func TestYoungUnitsAreComparedFairly(t *testing.T) {
	l := &layer{utility: []float32{0.5, 0.3}, age: []int64{100, 1}}
	if got := l.choose(Config{Rate: 0.5, Decay: 0.5, Interval: 1}, 1); !slices.Equal(got, []int{0}) {
		t.Errorf("units %v are replaced, want 0", got)
	}
}

// Maturity counts gradient steps. An episode may be followed by more of them than
// cbp_interval, and there is one update of the utilities then.
func TestMaturityInGradientSteps(t *testing.T) {
	for updates, mature := range map[int64]bool{2: false, 3: true} {
		l := &layer{utility: []float32{1}, age: []int64{updates}}
		if got := l.choose(Config{Rate: 1, Maturity: 8, Interval: 2}, 4); (len(got) == 1) != mature {
			t.Errorf("after %d updates, 4 steps each, units %v of maturity 8 are replaced", updates, got)
		}
	}
}

func utilities(t *testing.T, m *method, want []float64) {
	t.Helper()
	for j, w := range want {
		if math.Abs(float64(m.layers[0].utility[j])-w) > 1e-6 {
			t.Errorf("unit %d: utility %v, want %v", j, m.layers[0].utility[j], w)
		}
	}
}
