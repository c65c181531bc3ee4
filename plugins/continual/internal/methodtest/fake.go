package methodtest

import (
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/rng"
)

// Fake is a learner of a few parameters that a test sets by hand. Every other call
// panics.
type Fake struct {
	core.Learner
	core.GradientEditor
	core.WeightEditor
	core.Valuer
	Params    []float32               // of every scope
	Penalties []core.Penalty          // the latest
	Hook      func(g []float32) error // the latest
	Estimate  map[string][]float32    // importances, by source
	Rows      []core.Event            // what the method emitted
	Shape     []core.Layer            // of the layers
	Mean      map[string][]float32    // mean absolute activations, by layer
	Resets    map[string][]int        // units that were reset since the test looked last, by layer
	Term      *core.ValueTerm         // the latest
	Values    []float32               // of every episode
	Teacher   []float32               // that the latest values were asked of
	Seen      int                     // episodes of the last estimate
}

// Parameters appends Params.
func (l *Fake) Parameters(_ core.Scope, dst []float32) []float32 { return append(dst, l.Params...) }

// SetPenalties keeps copies of the terms.
func (l *Fake) SetPenalties(p []core.Penalty) error {
	l.Penalties = nil
	for _, x := range p {
		x.Anchor, x.Importance = slices.Clone(x.Anchor), slices.Clone(x.Importance)
		l.Penalties = append(l.Penalties, x)
	}
	return nil
}

// SetGradientHook keeps the hook.
func (l *Fake) SetGradientHook(edit func(g []float32) error) error {
	l.Hook = edit
	return nil
}

// Importance is a copy of Estimate.
func (l *Fake) Importance(batch []*episode.Episode, src core.ImportanceSource) ([]float32, error) {
	l.Seen = len(batch)
	return slices.Clone(l.Estimate[string(src)]), nil
}

// Abilities says that it has those of the interfaces.
func (l *Fake) Abilities() core.LearnerAbilities {
	return core.LearnerAbilities{Gradients: l, Weights: l, Valuer: l}
}

// SetValueTerm keeps the term.
func (l *Fake) SetValueTerm(t core.ValueTerm) error {
	l.Term = &t
	return nil
}

// EpisodeValues are Values for every episode.
func (l *Fake) EpisodeValues(batch []*episode.Episode, agent []float32) ([][]float32, error) {
	l.Teacher = slices.Clone(agent)
	out := make([][]float32, len(batch))
	for i := range out {
		out[i] = l.Values
	}
	return out, nil
}

// Layers is Shape.
func (l *Fake) Layers() []core.Layer { return l.Shape }

// Activity is Mean.
func (l *Fake) Activity(batch []*episode.Episode, q core.ActivityQuery) ([]core.Activity, error) {
	l.Seen = len(batch)
	var out []core.Activity
	for _, name := range q.Layers {
		out = append(out, core.Activity{Layer: name, MeanAbs: l.Mean[name]})
	}
	return out, nil
}

// ResetUnits notes the units.
func (l *Fake) ResetUnits(layer string, units []int) error {
	if l.Resets == nil {
		l.Resets = map[string][]int{}
	}
	l.Resets[layer] = append(l.Resets[layer], units...)
	return nil
}

// Emit keeps a row.
func (l *Fake) Emit(e core.Event) error {
	l.Rows = append(l.Rows, e)
	return nil
}

// On makes a method on the fake learner, under small buffers and changes of its
// own keys.
func (l *Fake) On(t testing.TB, p core.MethodPlugin, changes ...any) core.Method {
	t.Helper()
	s := Settings(t, p, append([]any{"batch_size", 2, "buffer_size", 8, "log_interval", 1000}, changes...)...)
	m, err := p.New(s, core.Services{Learner: l, Journal: l, Source: rng.New(1)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Task begins a task, lets train work between the hand-over of n short episodes
// and the call of Trained, and ends it.
func (l *Fake) Task(t testing.TB, m core.Method, index, n int, train func()) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(m.BeginTask(core.Task{Index: index}, core.Progress{}))
	for i := range n {
		e := &episode.Episode{Task: index, Index: int64(i), T: 1, N: 1, A: 1, Avail: []uint8{1, 1}, Actions: []int32{0}, Reward: []float32{0}}
		check(m.Collected(e, core.Progress{}))
	}
	train()
	check(m.Trained(core.Progress{}))
	check(m.EndTask(core.Progress{}))
}

// Likewise tests a method that is Finetuning, bit for bit, without its strength:
// with strength 0 in whole runs, with another in the first task of them alone.
// The method runs with further changes of its keys.
func Likewise(t *testing.T, p, finetuning core.MethodPlugin, l core.LearnerPlugin, key string, strength float64, firstToo bool, changes ...any) {
	t.Helper()
	number := func(x float64) any {
		if slices.ContainsFunc(p.Info().Schema, func(f core.Field) bool { return f.Key == key && f.Kind == core.Int }) {
			return int(x)
		}
		return x
	}
	part := func(p core.MethodPlugin, more ...any) string {
		if p != finetuning {
			more = slices.Concat(changes, more)
		}
		_, parts, _ := Play(t, Subject(t, p, l, more...))
		return Tensors(t, parts["learner"], "online.", "target.", "rms.")
	}
	plain := part(finetuning)
	if part(p, key, number(0)) != plain {
		t.Errorf("%s 0 is not Finetuning", key)
	}
	if part(p, key, number(strength)) == plain {
		t.Errorf("%s %v changes nothing", key, strength)
	}
	first := []any{"tasks", []string{"first"}}
	same := part(p, append(first, key, number(strength))...) == part(finetuning, first...)
	if same != firstToo {
		t.Errorf("in the first task with %s %v: Finetuning is %v, want %v", key, strength, same, firstToo)
	}
}
