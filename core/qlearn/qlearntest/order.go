package qlearntest

import (
	"math"
	"testing"

	"macpro/core"
	"macpro/core/qlearn"
	"macpro/core/rng"
)

// order permutes agents and enemies in teams of 2 to 13, all mixed with the
// same parameters: Q_tot stays and the gradients of the values move along.
func order(t *testing.T, plan qlearn.NewMixer) {
	const rows = 4
	s := rng.New(3).Stream()
	first := MustBench(t, plan, Entities(2, 1), rows, s)
	for n := 2; n <= 13; n++ {
		spec := Entities(n, 1+s.Intn(13))
		a, b := MustBench(t, plan, spec, rows, s), MustBench(t, plan, spec, rows, s)
		if len(a.Net.Params) != len(first.Net.Params) {
			t.Fatalf("%s has %d parameters, %s %d", spec.Task, len(a.Net.Params), first.Spec.Task, len(first.Net.Params))
		}
		copy(a.Net.Params, first.Net.Params)
		copy(b.Net.Params, first.Net.Params)
		a.Random(s)
		copy(b.Weight, a.Weight)
		agents, enemies := permutation(s, n), permutation(s, spec.Entities.Enemies)
		permute(a, b, agents, enemies)
		MustRun(t, a)
		MustRun(t, b)
		near := func(what string, x, y float32) {
			if d := math.Abs(float64(x - y)); d > 2e-5*(1+math.Abs(float64(x))) {
				t.Errorf("%s: %s %v, after a permutation %v", spec.Task, what, x, y)
			}
		}
		for k := range rows {
			near("Q_tot", a.QTot[k], b.QTot[k])
			for i, to := range agents {
				near("gradient", a.QGrad[k*n+i], b.QGrad[k*n+to])
			}
		}
	}
}

// permutation draws where each of n goes.
func permutation(s *rng.Stream, n int) []int {
	p := make([]int, n)
	for i := range p {
		j := s.Intn(i + 1)
		p[i], p[j] = p[j], i
	}
	return p
}

// permute fills b with what a holds: agent i goes to agents[i], enemy j to
// enemies[j].
func permute(a, b *Bench, agents, enemies []int) {
	n, A, S, e := a.Spec.Agents, a.Spec.Actions, a.Spec.StateWidth, a.Spec.Entities
	for k := range len(a.Weight) {
		from, to := a.State[k*S:(k+1)*S], b.State[k*S:(k+1)*S]
		for i, at := range agents {
			b.Q[k*n+at], b.Top[k*n+at] = a.Q[k*n+i], a.Top[k*n+i]
			copy(to[at*e.AllyState:(at+1)*e.AllyState], from[i*e.AllyState:])
			permuteActions(b.Joint[(k*n+at)*A:], a.Joint[(k*n+i)*A:], e, enemies)
			last := n*e.AllyState + e.Enemies*e.EnemyState
			permuteActions(to[last+at*A:], from[last+i*A:], e, enemies)
		}
		for j, at := range enemies {
			lo := n * e.AllyState
			copy(to[lo+at*e.EnemyState:lo+(at+1)*e.EnemyState], from[lo+j*e.EnemyState:])
		}
	}
}

// permuteActions copies one value for each action.
func permuteActions(dst, src []float32, e *core.Entities, enemies []int) {
	copy(dst[:e.NonAttack], src)
	for j, at := range enemies {
		dst[e.NonAttack+at] = src[e.NonAttack+j]
	}
}
