package qlearn_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
)

// The values of whole episodes are those of acting, of the online network or
// with a teacher's parameters.
func TestEpisodeValues(t *testing.T) {
	open(t, with(), func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) {
		spec := subjects()[strings.Split(t.Name(), "/")[1]]
		teacher := learner(t, "qmix", spec, with(), 1)
		agent := teacher.Parameters(core.ScopeAgent, nil)
		for range 3 {
			train(t, l, eps)
		}
		for name, c := range map[string]struct {
			by    *qlearn.Learner
			agent []float32
		}{"online": {l, nil}, "teacher": {teacher, agent}} {
			got, err := l.EpisodeValues(eps, c.agent)
			must(t, err)
			for i, e := range eps {
				if !slices.Equal(got[i], acted(t, c.by, spec, e)) {
					t.Errorf("%s: the values of episode %d are not those of acting", name, i)
				}
			}
		}
		if _, err := l.EpisodeValues(eps, agent[1:]); err == nil {
			t.Error("a teacher with a parameter too few")
		}
	})
}

// acted plays an episode's actions again and returns the values [T, n, A].
func acted(t *testing.T, l *qlearn.Learner, spec core.EnvSpec, e *episode.Episode) []float32 {
	t.Helper()
	n, o := e.N, e.ObsWidth
	step := core.ActStep{Lanes: 1, LastActions: slices.Repeat([]int32{-1}, n), Hidden: make([]float32, n*l.HiddenWidth()), Q: make([]float32, n*e.A), Spec: &spec}
	var all []float32
	for k := range e.T {
		step.Obs = e.Obs[k*n*o : (k+1)*n*o]
		must(t, l.Act(&step))
		all = append(all, step.Q...)
		step.LastActions = e.Actions[k*n : (k+1)*n]
	}
	return all
}

// byHand is the value of a term for values q.
func byHand(term core.ValueTerm, eps []*episode.Episode, q [][]float32) float64 {
	sum, rows := 0.0, 0
	for i, e := range eps {
		if term.Targets[i] == nil {
			continue
		}
		for r := range e.T * e.N {
			rows++
			var zq, zv, n, mse float64
			at := func(x []float32, a int) float64 { return float64(x[r*e.A+a]) }
			for a := range e.A {
				if e.Avail[r*e.A+a] != 0 {
					n++
					mse += (at(q[i], a) - at(term.Targets[i], a)) * (at(q[i], a) - at(term.Targets[i], a))
					zq += math.Exp(at(q[i], a) / term.Temperature)
					zv += math.Exp(at(term.Targets[i], a) / term.Temperature)
				}
			}
			if term.Loss == core.ValueMSE {
				sum += mse / n
				continue
			}
			for a := range e.A {
				if e.Avail[r*e.A+a] != 0 {
					v, w := math.Exp(at(term.Targets[i], a)/term.Temperature)/zv, math.Exp(at(q[i], a)/term.Temperature)/zq
					sum += v * math.Log(v/w)
				}
			}
		}
	}
	return term.Coef * sum / float64(rows)
}

// The term is that of its definition, its gradient the slope of its value, and
// episodes with Only have no part in the TD loss.
func TestValueTerm(t *testing.T) {
	for _, loss := range []core.ValueLoss{core.ValueMSE, core.ValueKL} {
		open(t, still(), func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) {
			term := core.ValueTerm{Loss: loss, Temperature: 0.7, Coef: 3, Targets: make([][]float32, len(eps)), Only: true}
			for _, i := range []int{0, 2, 4} {
				term.Targets[i] = qlearntest.Normals(rng.New(uint64(i)).Stream(), eps[i].T*eps[i].N*eps[i].A)
			}
			q, err := l.EpisodeValues(eps, nil)
			must(t, err)
			must(t, l.SetValueTerm(term))
			st := train(t, l, eps)
			if want := byHand(term, eps, q); math.Abs(st.ValueLoss-want) > 1e-5*want {
				t.Errorf("%s: %v, want %v", loss, st.ValueLoss, want)
			}
			rest := train(t, l, []*episode.Episode{eps[1], eps[3]})
			if math.Abs(rest.TDLoss-st.TDLoss) > 1e-5*rest.TDLoss || math.Abs(st.Loss-st.TDLoss-st.ValueLoss) > 1e-9 || rest.ValueLoss != 0 {
				t.Errorf("TD loss %v beside cloned episodes, %v without them; the next step has a term of %v", st.TDLoss, rest.TDLoss, rest.ValueLoss)
			}
			some, clone := []*episode.Episode{eps[0], eps[2], eps[4]}, term
			clone.Targets = [][]float32{term.Targets[0], term.Targets[2], term.Targets[4]}
			slope(t, l, func() (float64, []float32) {
				must(t, l.SetValueTerm(clone))
				g := taken(t, l, some)
				must(t, l.SetValueTerm(clone))
				return train(t, l, some).ValueLoss, g
			})
		})
	}
}

// A term may look at a head that does not learn: its value is that of these
// values, and it has the gradient of the same head when that is live, but in the
// features alone.
func TestValueTermOfAnotherHead(t *testing.T) {
	open(t, still(), func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) {
		phi := len(l.Parameters(core.ScopeFeatures, nil))
		head := l.Parameters(core.ScopeHead, nil)
		for j := range head {
			head[j] += 0.1 * float32(j%3)
		}
		term := core.ValueTerm{Loss: core.ValueMSE, Coef: 2, Only: true, Head: slices.Clone(head)}
		for i, e := range eps {
			term.Targets = append(term.Targets, qlearntest.Normals(rng.New(uint64(i)).Stream(), e.T*e.N*e.A))
		}
		q, err := l.EpisodeValues(eps, append(l.Parameters(core.ScopeFeatures, nil), head...))
		must(t, err)
		must(t, l.SetValueTerm(term))
		clear(term.Head) // copied
		if got, want := train(t, l, eps).ValueLoss, byHand(term, eps, q); math.Abs(got-want) > 1e-5*want {
			t.Errorf("%v, want %v", got, want)
		}
		term.Head = head
		must(t, l.SetValueTerm(term))
		got := taken(t, l, eps)
		for j, x := range got[phi:] {
			if x != 0 {
				t.Fatalf("parameter %d behind the features has the gradient %v", j, x)
			}
		}
		term.Head = nil
		must(t, l.SetParameters(core.ScopeHead, head))
		must(t, l.SetValueTerm(term))
		var want []float64
		for _, x := range taken(t, l, eps)[:phi] {
			want = append(want, float64(x))
		}
		if d := worst(got[:phi], want); d > 1e-6 || nn.SumSq(got) == 0 {
			t.Errorf("the gradient in the features is not that of the same head when it is live: %.1e", d)
		}
		if err := l.SetValueTerm(core.ValueTerm{Loss: core.ValueMSE, Head: head[1:]}); err == nil || !strings.Contains(err.Error(), "a head of") {
			t.Errorf("a head with a parameter too few: %v", err)
		}
	})
}

// slope compares a gradient with difference quotients in random directions.
func slope(t *testing.T, l *qlearn.Learner, of func() (float64, []float32)) {
	t.Helper()
	at := l.Parameters(core.ScopeAll, nil)
	_, g := of()
	for k := range 6 {
		d := qlearntest.Normals(rng.New(uint64(k)).Stream(), len(at))
		for j := range d {
			if at[j] == 0 || j >= len(g) {
				d[j] = 0
			}
		}
		value := func(h float32) float64 {
			x := slices.Clone(at)
			for j := range x {
				x[j] += h * d[j]
			}
			must(t, l.SetParameters(core.ScopeAll, x))
			v, _ := of()
			return v
		}
		const h = 1e-3
		want, got := (value(h)-value(-h))/(2*h), 0.0
		for j := range d {
			if j < len(g) {
				got += float64(g[j]) * float64(d[j])
			}
		}
		if math.Abs(got-want) > 0.02*(math.Abs(want)+0.05) {
			t.Errorf("direction %d: gradient %v, difference quotient %v", k, got, want)
		}
	}
	must(t, l.SetParameters(core.ScopeAll, at))
}

// A term beside the TD loss adds its gradient; where the values are those that
// are wanted it adds nothing.
func TestValueTermBesideTD(t *testing.T) {
	open(t, still(), func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) {
		td, err := l.Gradient(core.ScopeAll, eps, nil)
		must(t, err)
		q, err := l.EpisodeValues(eps, nil)
		must(t, err)
		for _, loss := range []core.ValueLoss{core.ValueMSE, core.ValueKL} {
			must(t, l.SetValueTerm(core.ValueTerm{Loss: loss, Temperature: 1, Coef: 5, Targets: q}))
			same := taken(t, l, eps)
			want := make([]float64, len(td))
			for j, x := range td {
				want[j] = float64(x)
			}
			if d := worst(same, want); d > 1e-4 {
				t.Errorf("%s: values equal to their targets change the gradient by %.1e", loss, d)
			}
		}
	})
}

// Terms that make no sense are refused, and a step is not made with one.
func TestValueTermRefusals(t *testing.T) {
	open(t, with(), func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) {
		for want, term := range map[string]core.ValueTerm{
			`"huber"`:     {Loss: "huber", Coef: 1},
			"temperature": {Loss: core.ValueKL, Coef: 1},
			"coefficient": {Loss: core.ValueMSE, Coef: -1},
		} {
			if err := l.SetValueTerm(term); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
		bad := make([]float32, eps[0].T*eps[0].N*eps[0].A)
		bad[1] = float32(math.NaN())
		for want, targets := range map[string][][]float32{
			"5": {nil}, "3 targets": {make([]float32, 3), nil, nil, nil, nil}, "NaN": {bad, nil, nil, nil, nil},
		} {
			must(t, l.SetValueTerm(core.ValueTerm{Loss: core.ValueMSE, Coef: 1, Targets: targets}))
			before := bytesOf(t, l)
			if _, err := l.Train(eps); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
			if string(before) != string(bytesOf(t, l)) {
				t.Error("a step with a faulty term was made")
			}
			train(t, l, eps) // the term is gone
		}
	})
}

// MAS: the mean over episodes of the absolute gradient of the mean squared norm
// of the values, by difference quotients of single parameters.
func TestImportanceOfValues(t *testing.T) {
	open(t, still(), func(t *testing.T, l *qlearn.Learner, eps []*episode.Episode) {
		f := importance(t, l, eps, core.ImportanceValues)
		at := l.Parameters(core.ScopeAgent, nil)
		norm := func(e *episode.Episode) float64 {
			q, err := l.EpisodeValues([]*episode.Episode{e}, nil)
			must(t, err)
			sum := 0.0
			for i, x := range q[0] {
				if e.Avail[i] != 0 {
					sum += float64(x) * float64(x)
				}
			}
			return sum / float64(e.T*e.N)
		}
		draw := rng.New(9).Stream()
		const h = 2e-3
		for range 25 {
			j, want := draw.Intn(len(at)), 0.0
			for _, e := range eps {
				x := slices.Clone(at)
				x[j] = at[j] + h
				must(t, l.SetParameters(core.ScopeAgent, x))
				up := norm(e)
				x[j] = at[j] - h
				must(t, l.SetParameters(core.ScopeAgent, x))
				want += math.Abs(up-norm(e)) / (2 * h) / float64(len(eps))
			}
			if got := float64(f[j]); math.Abs(got-want) > 0.02*want+1e-3 {
				t.Errorf("parameter %d: %v, difference quotient %v", j, got, want)
			}
		}
	})
}
