package qlearn_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/qlearn"
)

// Every layer is read by weights of the agent; the layers in all have weights
// of their own but for attention.
func TestLayersAreNamed(t *testing.T) {
	want := map[string][]string{
		"flat": {"phi.mlp.fc1", "phi.mlp.fc2", "phi.gru"},
		separate: {"phi.agent0.mlp.fc1", "phi.agent0.mlp.fc2", "phi.agent0.gru",
			"phi.agent1.mlp.fc1", "phi.agent1.mlp.fc2", "phi.agent1.gru"},
		"entities": {"phi.attention", "phi.mlp.fc1", "phi.mlp.fc2", "phi.mlp.fc3", "phi.gru", "phi.enemy.fc1", "phi.enemy.fc2",
			"phi.enemy.fc3", "head.move.fc1", "head.move.fc2", "head.attack.fc1", "head.attack.fc2"},
	}
	open(t, with(), func(t *testing.T, l *qlearn.Learner, _ []*episode.Episode) {
		var names []string
		for _, x := range l.Layers() {
			names = append(names, x.Name)
			if len(x.Out) == 0 || (x.In == nil) != (x.Name == "phi.attention") {
				t.Errorf("layer %s: %d spans of incoming weights, %d of outgoing ones", x.Name, len(x.In), len(x.Out))
			}
		}
		if kind := strings.Split(t.Name(), "/")[1]; !slices.Equal(names, want[kind]) {
			t.Errorf("layers %v, want %v", names, want[kind])
		}
	})
}

// recurrentLayer is the name of the first recurrent layer.
func recurrentLayer(l *qlearn.Learner) string {
	all := l.Layers()
	return all[slices.IndexFunc(all, func(x core.Layer) bool { return strings.HasSuffix(x.Name, ".gru") })].Name
}

// places lists the parameters of some spans of units.
func places(spans []core.Span, units ...int) []int {
	var all []int
	for _, s := range spans {
		for _, unit := range units {
			s.Each(unit, func(p int) { all = append(all, p) })
		}
	}
	return all
}

// Units that were reset together have new incoming weights, no influence, not
// even on each other, and an optimiser that has forgotten them; nothing else has
// changed.
func TestResetUnits(t *testing.T) {
	open(t, with("lr", 0.01), func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) {
		for range 5 {
			train(t, l, eps)
		}
		for _, x := range l.Layers() {
			if x.In == nil {
				if err := l.ResetUnits(x.Name, []int{0}); err == nil {
					t.Errorf("units of %s were reset", x.Name)
				}
				continue
			}
			units := []int{x.Width - 2, 0, 1}
			before := l.Parameters(core.ScopeAgent, nil)
			must(t, l.ResetUnits(x.Name, units))
			after, moments := l.Parameters(core.ScopeAgent, nil), flat(l.SquaredGradients())
			in, out := places(x.In, units...), places(x.Out, units...)
			for j := range before {
				switch {
				case slices.Contains(out, j):
					if after[j] != 0 || moments[j] != 0 {
						t.Errorf("%s: outgoing weight %d is %v with a moment of %v", x.Name, j, after[j], moments[j])
					}
				case slices.Contains(in, j):
					if after[j] == before[j] || moments[j] != 0 {
						t.Errorf("%s: incoming weight %d: %v after %v with a moment of %v", x.Name, j, after[j], before[j], moments[j])
					}
				case after[j] != before[j]:
					t.Fatalf("%s: parameter %d changed, which is no weight of the units", x.Name, j)
				}
			}
			q, moved := firstValues(t, l, eps), slices.Clone(after)
			for _, j := range in {
				if !slices.Contains(out, j) {
					moved[j] += 0.5
				}
			}
			must(t, l.SetParameters(core.ScopeAgent, moved))
			if !slices.Equal(q, firstValues(t, l, eps)) {
				t.Errorf("%s: a unit that was reset has an influence on the values", x.Name)
			}
			must(t, l.SetParameters(core.ScopeAgent, before))
		}
		gru := recurrentLayer(l)
		for want, err := range map[string]error{"unit 99": l.ResetUnits(gru, []int{0, 99}), "did you mean": l.ResetUnits(gru+"u", nil)} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	})
}

func flat(ws []core.Weight) []float32 {
	var all []float32
	for _, w := range ws {
		all = append(all, w.Data...)
	}
	return all
}

// The activations of a layer belong to its units: a strongly negative bias
// silences a rectified unit, in all rows and no other unit.
func TestActivityBelongsToUnits(t *testing.T) {
	rectified := map[string]bool{
		"phi.mlp.fc1": true, "phi.mlp.fc2": true, "phi.enemy.fc1": true, "phi.enemy.fc2": true,
		"head.move.fc1": true, "head.move.fc2": true, "head.attack.fc1": true, "head.attack.fc2": true,
	}
	open(t, with(), func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) {
		at := l.Parameters(core.ScopeAgent, nil)
		for _, x := range l.Layers() {
			if !rectified[x.Name] {
				continue
			}
			unit := x.Width - 1
			quiet := slices.Clone(at)
			bias := places(x.In[1:], unit)
			if len(bias) != 1 {
				t.Fatalf("%s: biases %v", x.Name, bias)
			}
			quiet[bias[0]] = -1e6
			must(t, l.SetParameters(core.ScopeAgent, quiet))
			a, err := l.Activity(eps, core.ActivityQuery{Layers: []string{x.Name}, MeanAbs: true, Zeros: true, Gram: true})
			must(t, err)
			for j, z := range a[0].Zeros {
				if (z == 1) != (a[0].MeanAbs[j] == 0) || j == unit && z != 1 || a[0].Gram[unit*x.Width+j] != 0 {
					t.Errorf("%s: unit %d of %d: share of zeros %v, mean %v", x.Name, j, unit, z, a[0].MeanAbs[j])
				}
			}
			must(t, l.SetParameters(core.ScopeAgent, at))
			if a, err = l.Activity(eps, core.ActivityQuery{Layers: []string{x.Name}, Zeros: true}); err != nil || slices.Min(a[0].Zeros) == 1 || a[0].MeanAbs != nil || a[0].Gram != nil {
				t.Errorf("%s: %+v, %v", x.Name, a, err)
			}
		}
	})
}

// The recurrent layer's activations are the recurrent states of acting, reduced
// as was asked.
func TestActivityIsThatOfActing(t *testing.T) {
	open(t, with(), func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) {
		spec := subjects()[strings.Split(t.Name(), "/")[1]]
		layer, only, H := "phi.gru", -1, l.HiddenWidth()
		if spec.Task == separate {
			layer, only = "phi.agent1.gru", 1
		}
		mean, gram, rows := make([]float64, H), make([]float64, H*H), 0
		for _, e := range eps {
			n, o := e.N, e.ObsWidth
			step := core.ActStep{Lanes: 1, LastActions: slices.Repeat([]int32{-1}, n), Hidden: make([]float32, n*H), Q: make([]float32, n*e.A), Spec: &spec}
			for k := range e.T {
				step.Obs = e.Obs[k*n*o : (k+1)*n*o]
				must(t, l.Act(&step))
				step.LastActions = e.Actions[k*n : (k+1)*n]
				for r := range n {
					if only >= 0 && r != only {
						continue
					}
					rows++
					h := step.Hidden[r*H : (r+1)*H]
					for i, x := range h {
						mean[i] += math.Abs(float64(x))
						for j, y := range h {
							gram[i*H+j] += float64(x) * float64(y)
						}
					}
				}
			}
		}
		all, err := l.Activity(eps, core.ActivityQuery{MeanAbs: true, Gram: true})
		must(t, err)
		if len(all) != len(l.Layers()) {
			t.Fatalf("%d layers, want %d", len(all), len(l.Layers()))
		}
		a := all[slices.IndexFunc(all, func(x core.Activity) bool { return x.Layer == layer })]
		if a.Rows != rows {
			t.Errorf("%d rows, want %d", a.Rows, rows)
		}
		for i := range mean {
			mean[i] /= float64(rows)
		}
		for i := range gram {
			gram[i] /= float64(rows)
		}
		if d := worst(a.MeanAbs, mean); d > 1e-6 {
			t.Errorf("mean absolute states differ by %.1e", d)
		}
		if d := worst(a.Gram, gram); d > 1e-5 {
			t.Errorf("products differ by %.1e", d)
		}
		if _, err := l.Activity(eps, core.ActivityQuery{Layers: []string{layer + "u"}}); err == nil || !strings.Contains(err.Error(), "did you mean") {
			t.Errorf("a misspelt layer: %v", err)
		}
	})
}
