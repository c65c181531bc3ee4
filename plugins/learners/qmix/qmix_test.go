package qmix

import (
	"testing"

	"macpro/core/nn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
)

func TestPlugin(t *testing.T) { qlearntest.Plugin(t, Plugin{}) }

func TestMixer(t *testing.T) {
	for _, c := range []Config{{Embed: 8, Hyper: 16, Layers: 2}, {Embed: 5, Hyper: 16, Layers: 1}} {
		qlearntest.Mixer(t, c.Mixer)
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
	}
}

// dQ_tot/dq_i >= 0 whatever the parameters and the state, by differences and
// by the gradient.
func TestQTotGrowsWithEveryValue(t *testing.T) {
	s, spec := rng.New(1).Stream(), qlearntest.Spec(3)
	b := qlearntest.MustBench(t, Config{Embed: 8, Hyper: 16, Layers: 2}.Mixer, spec, 50, s)
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
