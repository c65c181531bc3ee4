package qlearntest

import (
	"math"
	"testing"

	"macpro/core"
	"macpro/core/qlearn"
	"macpro/core/rng"
)

// Mixer checks what every mixer must hold, with random parameters, states and
// values: the agents' greedy actions are the team's, and Q_tot of a row does
// not depend on the other rows. Where tasks are made of entities, Q_tot depends
// neither on the order of agents nor on that of enemies, for teams of any size
// with the same parameters.
func Mixer(t *testing.T, plan qlearn.NewMixer) {
	flat := core.EnvSpec{Agents: 3, Actions: 5, ObsWidth: 1, StateWidth: 4, Limit: 1}
	t.Run("greedy actions are the team's", func(t *testing.T) { igm(t, plan, flat, 1000) })
	t.Run("rows are independent", func(t *testing.T) { rows(t, plan, Spec(3)) })
	t.Run("entities", func(t *testing.T) {
		t.Run("greedy actions are the team's", func(t *testing.T) {
			for _, team := range []struct{ n, enemies, cases int }{{1, 3, 50}, {2, 4, 50}, {3, 2, 200}, {4, 1, 20}} {
				igm(t, plan, Entities(team.n, team.enemies), team.cases)
			}
		})
		t.Run("rows are independent", func(t *testing.T) { rows(t, plan, Entities(3, 2)) })
		t.Run("order does not matter", func(t *testing.T) { order(t, plan) })
	})
}

// MustBench makes a bench whose parameters are drawn from s, with weights of 1.
func MustBench(t *testing.T, plan qlearn.NewMixer, spec core.EnvSpec, rows int, s *rng.Stream) *Bench {
	t.Helper()
	b, err := NewBench(plan, spec, rows)
	if err != nil {
		t.Fatal(err)
	}
	b.Net.Init(s)
	for k := range b.Weight {
		b.Weight[k] = 1
	}
	return b
}

// MustRun runs the bench.
func MustRun(t *testing.T, b *Bench) {
	t.Helper()
	if err := b.Run(); err != nil {
		t.Fatal(err)
	}
}

// Act sets row k to the joint action numbered j, of agents with the values
// q [n, A]: digits of j to the base A, the first agent's first.
func (b *Bench) Act(k, j int, q []float32) {
	n, A := b.Spec.Agents, b.Spec.Actions
	joint := b.Joint[k*n*A : (k+1)*n*A]
	clear(joint)
	for i := range n {
		values, a := q[i*A:(i+1)*A], j%A
		j /= A
		joint[i*A+a] = 1
		b.Q[k*n+i] = values[a]
		b.Top[k*n+i] = values[Best(values)]
	}
}

// Best is the position of the largest value, the lowest on ties.
func Best(values []float32) int {
	best := 0
	for a, v := range values {
		if v > values[best] {
			best = a
		}
	}
	return best
}

// igm enumerates the joint actions of a team: the greedy one has the largest Q_tot.
func igm(t *testing.T, plan qlearn.NewMixer, spec core.EnvSpec, cases int) {
	n, A, s := spec.Agents, spec.Actions, rng.New(1).Stream()
	joint := 1
	for range n {
		joint *= A
	}
	b := MustBench(t, plan, spec, joint, s)
	for c := range cases {
		if c%10 == 0 {
			b.Net.Init(s)
		}
		q, state := Normals(s, n*A), Normals(s, spec.StateWidth)
		greedy := 0
		for i := n - 1; i >= 0; i-- {
			greedy = greedy*A + Best(q[i*A:(i+1)*A])
		}
		for j := range b.Weight {
			b.Act(j, j, q)
			copy(b.State[j*len(state):], state)
		}
		MustRun(t, b)
		for j, tot := range b.QTot {
			if slack := 1e-5 * (1 + float32(math.Abs(float64(tot)))); tot > b.QTot[greedy]+slack {
				t.Fatalf("case %d: joint action %d has Q_tot %v, the greedy one %d only %v", c, j, tot, greedy, b.QTot[greedy])
			}
		}
	}
}

// Random fills all inputs with a random joint action of random values in every
// row, and the weights.
func (b *Bench) Random(s *rng.Stream) {
	n, A := b.Spec.Agents, b.Spec.Actions
	for k := range b.Weight {
		j := 0
		for range n {
			j = j*A + s.Intn(A)
		}
		b.Act(k, j, Normals(s, n*A))
		b.Weight[k] = float32(s.Norm())
	}
	copy(b.State, Normals(s, len(b.State)))
}

// rows compares each of several rows with the same row by itself.
func rows(t *testing.T, plan qlearn.NewMixer, spec core.EnvSpec) {
	s := rng.New(2).Stream()
	many := MustBench(t, plan, spec, 7, s)
	many.Random(s)
	MustRun(t, many)
	one, err := NewBench(plan, spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	copy(one.Net.Params, many.Net.Params)
	for k, want := range many.QTot {
		for _, c := range []struct{ dst, src []float32 }{
			{one.Q, many.Q}, {one.Top, many.Top}, {one.Joint, many.Joint}, {one.State, many.State},
		} {
			copy(c.dst, c.src[k*len(c.dst):])
		}
		MustRun(t, one)
		if one.QTot[0] != want {
			t.Errorf("row %d alone gives %v, among others %v", k, one.QTot[0], want)
		}
	}
}
