package iql

import (
	"bytes"
	"maps"
	"math"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/plugins/learners/vdn"
)

func TestPlugin(t *testing.T) { qlearntest.Plugin(t, Plugin{}) }

func learner(t *testing.T, spec core.EnvSpec, mixer qlearn.NewMixer, changes core.Settings) *qlearn.Learner {
	t.Helper()
	s, err := qlearntest.Settings(core.Settings{"mlp_hidden": 8, "mlp_layers": 2, "rnn_hidden_dim": 6})
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(s, changes)
	l, err := qlearn.New(s, spec, core.LearnerOptions{Source: rng.New(1), Threads: 1}, mixer)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func batch(spec core.EnvSpec) []*episode.Episode {
	var eps []*episode.Episode
	for i := range 4 {
		eps = append(eps, qlearntest.Episode(rng.New(2).ChildInt(int64(i)).Stream(), spec, 3+i, int64(i)))
	}
	return eps
}

// A team of one agent is one that VDN trains, to the bit.
func TestOneAgentIsVDN(t *testing.T) {
	spec := core.EnvSpec{Env: "e", Task: "t", Agents: 1, Actions: 4, ObsWidth: 5, StateWidth: 3, Limit: 8}
	var states [2]bytes.Buffer
	for i, mixer := range []qlearn.NewMixer{Mixer, vdn.Mixer} {
		l := learner(t, spec, mixer, nil)
		for range 3 {
			if _, err := l.Train(batch(spec)); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Save(&states[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(states[0].Bytes(), states[1].Bytes()) {
		t.Error("the states differ")
	}
}

// The loss is the mean over transitions and agents of the squared error against
// the agent's own target, computed here from the agents' values.
func TestLossByHand(t *testing.T) {
	spec := core.EnvSpec{Env: "e", Task: "t", Agents: 3, Actions: 4, ObsWidth: 5, StateWidth: 3, Limit: 8}
	for _, lambda := range []float64{0, 0.6} {
		l := learner(t, spec, Mixer, core.Settings{"td_lambda": lambda, "gamma": 0.9})
		eps := batch(spec)
		for _, e := range eps {
			e.Terminated = true
		}
		l.SyncTarget() // targets are values of the same network
		values, err := l.EpisodeValues(eps, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, rows := 0.0, 0
		for b, e := range eps {
			for i := range e.N {
				y := 0.0
				for step := e.T - 1; step >= 0; step-- {
					ahead := 0.0
					if step < e.T-1 {
						ahead = (1-lambda)*best(e, values[b], step+1, i) + lambda*y
					}
					y = float64(e.Reward[step]) + 0.9*ahead
					d := float64(values[b][(step*e.N+i)*e.A+int(e.Actions[step*e.N+i])]) - y
					want += d * d
					rows++
				}
			}
		}
		want /= float64(rows)
		s, err := l.Train(eps)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(s.TDLoss-want) > 1e-5*want {
			t.Errorf("lambda %v: loss %v, want %v", lambda, s.TDLoss, want)
		}
	}
}

// best is the largest value of an available action.
func best(e *episode.Episode, values []float32, step, agent int) float64 {
	at, most := (step*e.N+agent)*e.A, math.Inf(-1)
	for a := range e.A {
		if e.Avail[at+a] == 1 {
			most = max(most, float64(values[at+a]))
		}
	}
	return most
}

// The gradient is that of the loss: finite differences at some parameters.
func TestGradient(t *testing.T) {
	spec := core.EnvSpec{Env: "e", Task: "t", Agents: 2, Actions: 3, ObsWidth: 4, StateWidth: 2, Limit: 8}
	eps := batch(spec)
	l := learner(t, spec, Mixer, core.Settings{"double_q": false})
	g, err := l.Gradient(core.ScopeAgent, eps, nil)
	if err != nil {
		t.Fatal(err)
	}
	params := l.Parameters(core.ScopeAgent, nil)
	loss := func(j int, by float32) float64 {
		fresh := learner(t, spec, Mixer, core.Settings{"double_q": false})
		moved := append([]float32(nil), params...)
		moved[j] += by
		if err := fresh.SetParameters(core.ScopeAgent, moved); err != nil {
			t.Fatal(err)
		}
		s, err := fresh.Train(eps)
		if err != nil {
			t.Fatal(err)
		}
		return s.TDLoss
	}
	checked := 0
	for j := len(g) - 1; j > 0 && checked < 12; j -= 7 {
		if math.Abs(float64(g[j])) < 1e-3 {
			continue
		}
		checked++
		const eps = 1e-3
		if d := (loss(j, eps) - loss(j, -eps)) / (2 * eps); math.Abs(d-float64(g[j])) > 2e-2*math.Abs(d)+1e-4 {
			t.Errorf("parameter %d: gradient %v, finite difference %v", j, g[j], d)
		}
	}
	if checked < 5 {
		t.Errorf("only %d parameters have a gradient that can be checked", checked)
	}
}
