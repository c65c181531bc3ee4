package qmix

import (
	"testing"

	"macpro/core"
	"macpro/core/nn"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
)

func TestPlugin(t *testing.T) { qlearntest.Plugin(t, Plugin{}) }

func TestMixer(t *testing.T) {
	entity := qlearn.EntityConfig{Embed: 7, Attn: 3}
	for _, c := range []Config{
		{Embed: 8, Hyper: 16, Layers: 2, Weights: "shared", Entity: entity},
		{Embed: 5, Hyper: 16, Layers: 1, Weights: perAgent, Entity: entity},
	} {
		t.Run(c.Weights, func(t *testing.T) { qlearntest.Mixer(t, c.Mixer) })
	}
}

func TestGradients(t *testing.T) {
	const rows, embed = 20, 6
	for n := 1; n <= 3; n++ {
		s := rng.New(2).ChildInt(int64(n)).Stream()
		w1, wf := qlearntest.Rows(s, rows, n*embed), qlearntest.Rows(s, rows, embed)
		nn.Abs(w1.Data, w1.Data)
		nn.Abs(wf.Data, wf.Data)
		in := []nn.Mat{qlearntest.Rows(s, rows, n), w1, qlearntest.Rows(s, rows, embed), wf, qlearntest.Rows(s, rows, 1)}
		qlearntest.Gradient(t, s, &mix{n: n, embed: embed}, in, 0, 1, 2, 3, 4)
		in[1] = qlearntest.Rows(s, rows, embed)
		nn.Scale(in[0].Data, 0.3) // a sum of large values bends the ELU within a step
		nn.Abs(in[1].Data, in[1].Data)
		qlearntest.Gradient(t, s, &mix{n: n, embed: embed, shared: true}, in, 0, 1, 2, 3, 4)
	}
}

// dQ_tot/dq_i >= 0 whatever the parameters and the state, by differences and
// by the gradient.
func TestQTotGrowsWithEveryValue(t *testing.T) {
	c := Config{Embed: 8, Hyper: 16, Layers: 2, Weights: "shared", Entity: qlearn.EntityConfig{Embed: 7, Attn: 3}}
	t.Run("flat", func(t *testing.T) { grows(t, c, qlearntest.Spec(3)) })
	t.Run("shared", func(t *testing.T) { grows(t, c, qlearntest.Entities(4, 3)) })
	c.Weights = perAgent
	t.Run(perAgent, func(t *testing.T) { grows(t, c, qlearntest.Entities(4, 3)) })
}

func grows(t *testing.T, c Config, spec core.EnvSpec) {
	s := rng.New(1).Stream()
	b := qlearntest.MustBench(t, c.Mixer, spec, 50, s)
	for range 40 {
		b.Net.Init(s)
		copy(b.Q, qlearntest.Normals(s, len(b.Q)))
		copy(b.State, qlearntest.Normals(s, len(b.State)))
		qlearntest.MustRun(t, b)
		before := append([]float32(nil), b.QTot...)
		for _, g := range b.QGrad {
			if g < 0 {
				t.Fatalf("gradient %v of a value is negative", g)
			}
		}
		for k := range before {
			b.Q[k*spec.Agents+k%spec.Agents]++
		}
		qlearntest.MustRun(t, b)
		for k, after := range b.QTot {
			if after < before[k] {
				t.Fatalf("Q_tot falls from %v to %v when a value grows", before[k], after)
			}
		}
	}
}

// With one row of W1 Q_tot depends on the sum of the values alone; with rows of
// their own, agents count differently.
func TestKindsOfWeights(t *testing.T) {
	for _, weights := range []string{"shared", perAgent} {
		s := rng.New(5).Stream()
		c := Config{Embed: 8, Weights: weights, Entity: qlearn.EntityConfig{Embed: 7, Attn: 3}}
		b := qlearntest.MustBench(t, c.Mixer, qlearntest.Entities(3, 2), 1, s)
		b.Random(s)
		qlearntest.MustRun(t, b)
		if equal := b.QGrad[0] == b.QGrad[1] && b.QGrad[1] == b.QGrad[2]; equal != (weights == "shared") {
			t.Errorf("%s: gradients of the values %v", weights, b.QGrad)
		}
	}
}
