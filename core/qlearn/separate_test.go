package qlearn_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/plugins/learners/iql"
)

// independent makes a learner without a mixer, in which an agent's number is no
// part of its input.
func independent(t *testing.T, spec core.EnvSpec, sharing string) *qlearn.Learner {
	t.Helper()
	s, err := qlearntest.Settings(still("obs_agent_id", false, "sharing", sharing, "feature_scale", 0.5))
	must(t, err)
	l, err := iql.Plugin{}.New(s, spec, core.LearnerOptions{Source: rng.New(4), Threads: 1})
	must(t, err)
	return l.(*qlearn.Learner)
}

// alone is what agent i has seen, done and got of an episode.
func alone(e *episode.Episode, i int) *episode.Episode {
	c := copied(e)
	c.N, c.Obs, c.Avail, c.Actions = 1, nil, nil, nil
	for t := range e.T + 1 {
		r := t*e.N + i
		c.Obs = append(c.Obs, e.Obs[r*e.ObsWidth:(r+1)*e.ObsWidth]...)
		c.Avail = append(c.Avail, e.Avail[r*e.A:(r+1)*e.A]...)
		if t < e.T {
			c.Actions = append(c.Actions, e.Actions[r])
		}
	}
	return c
}

// With sharing none an agent is what a team of that agent alone would be: it acts
// with the same bits, in one lane or in many, and learns by the same gradient, of
// which the loss's mean over agents leaves 1/n.
func TestSeparateAgentsAreTeamsOfOne(t *testing.T) {
	spec, one := qlearntest.Spec(3), qlearntest.Spec(1)
	l := independent(t, spec, "none")
	eps := qlearntest.Episodes(rng.New(5).Stream(), spec, 6)
	g, err := l.Gradient(core.ScopeAll, eps, nil)
	must(t, err)
	gradients := map[string][]float32{}
	at := 0
	for _, w := range l.Weights() {
		gradients[w.Name] = g[at : at+len(w.Data)]
		at += len(w.Data)
	}
	for i := range spec.Agents {
		name := func(w core.Weight) string { // of the agent's tensor
			part, rest, _ := strings.Cut(w.Name, ".")
			return fmt.Sprintf("%s.agent%d.%s", part, i, rest)
		}
		single := independent(t, one, "full")
		ws := single.Weights()
		for k, w := range ws {
			ws[k].Data = qlearn.MustFind(l.Weights(), name(w)).Data
		}
		must(t, single.SetWeights(ws))
		single.SyncTarget()
		var own []*episode.Episode
		for _, e := range eps {
			own = append(own, alone(e, i))
		}
		g, err := single.Gradient(core.ScopeAll, own, nil)
		must(t, err)
		at := 0
		for _, w := range ws {
			want := make([]float64, len(w.Data))
			for j := range want {
				want[j] = float64(g[at+j]) / float64(spec.Agents)
			}
			at += len(want)
			if d := worst(gradients[name(w)], want); d > 1e-5 {
				t.Errorf("the gradient of %s differs by %.1e from that of the agent alone", name(w), d)
			}
		}
		for lanes := 1; lanes <= 4; lanes += 3 {
			team, solo := newActStep(l, spec, lanes), newActStep(single, one, lanes)
			for range 3 {
				for k := range lanes {
					copy(solo.Obs[k*5:(k+1)*5], team.Obs[(k*3+i)*5:])
					solo.LastActions[k] = team.LastActions[k*3+i]
				}
				must(t, l.Act(team))
				must(t, single.Act(solo))
				for k := range lanes {
					if !slices.Equal(solo.Q[k*4:(k+1)*4], team.Q[(k*3+i)*4:(k*3+i+1)*4]) {
						t.Fatalf("agent %d in lane %d of %d acts by %v, alone by %v", i, k, lanes, team.Q[(k*3+i)*4:(k*3+i+1)*4], solo.Q[k*4:(k+1)*4])
					}
				}
				for r := range team.LastActions {
					team.LastActions[r] = int32(r % 4)
				}
			}
		}
	}
	if slices.Equal(gradients["phi.agent0.gru.bias_ih"], gradients["phi.agent1.gru.bias_ih"]) {
		t.Error("two agents have the same gradient")
	}
}

// Networks of their own start and stay apart, have their places among the named
// weights and heads, and go on with the same bits after a resume.
func TestSeparateState(t *testing.T) {
	spec := apart(2)
	l := learner(t, "qmix", spec, with(), 2)
	newHead(t, l, core.HeadReset)
	for _, b := range batches(2, spec, 3, 4) {
		train(t, l, b)
	}
	must(t, l.SaveHead(0))
	ws := l.Weights()
	for _, name := range []string{"phi.agent%d.mlp.fc1.weight", "phi.agent%d.gru.weight_hh", "head.agent%d.fc1.bias", "head0.agent%d.fc1.weight"} {
		a, b := qlearn.MustFind(ws, fmt.Sprintf(name, 0)), qlearn.MustFind(ws, fmt.Sprintf(name, 1))
		if !slices.Equal(a.Shape, b.Shape) || slices.Equal(a.Data, b.Data) {
			t.Errorf("%s of both agents: %v and %v", name, a, b)
		}
	}
	other := learner(t, "qmix", spec, with(), 1)
	must(t, other.Load(bytes.NewReader(bytesOf(t, l))))
	for _, b := range batches(3, spec, 3, 4) {
		if x, y := train(t, l, b), train(t, other, b); x != y {
			t.Fatalf("%+v after a resume, %+v without", y, x)
		}
	}
	if !bytes.Equal(bytesOf(t, l), bytesOf(t, other)) {
		t.Error("other bits after a resume")
	}
	shared := learner(t, "qmix", qlearntest.Spec(2), with(), 1)
	if err := shared.Load(bytes.NewReader(bytesOf(t, l))); err == nil || !strings.Contains(err.Error(), "phi.") {
		t.Errorf("a state of networks apart in a shared one: %v", err)
	}
}

// Teams of entities share their network.
func TestSeparateRefusesEntities(t *testing.T) {
	s, err := qlearntest.Settings(with("sharing", "none"))
	must(t, err)
	p := core.Pairing{Env: "toy", Learner: "iql", Settings: s, Tasks: []core.EnvSpec{qlearntest.Entities(2, 3)}}
	if err := qlearn.Match(p); err == nil || !strings.Contains(err.Error(), "use sharing full") {
		t.Errorf("%v", err)
	}
	p.Tasks = []core.EnvSpec{qlearntest.Spec(2)}
	must(t, qlearn.Match(p))
}
