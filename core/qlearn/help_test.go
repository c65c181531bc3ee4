package qlearn_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/plugins/learners/qmix"
	"macpro/plugins/learners/qplex"
	"macpro/plugins/learners/vdn"
)

// The mixers at their default sizes.
var mixers = map[string]qlearn.NewMixer{
	"vdn":  vdn.Mixer,
	"qmix": qmix.Config{Embed: 32, Hyper: 64, Layers: 2, Weights: "shared", Entity: qlearn.EntityConfig{Embed: 64, Attn: 8}}.Mixer,
	"qplex": qplex.Config{Hyper: 64, Kernels: 10, AdvLayers: 3, AdvEmbed: 64,
		Weighted: true, MinusOne: true, Entity: qlearn.EntityConfig{Embed: 64, Attn: 8}}.Mixer,
}

// tiny are settings of networks that cost next to nothing.
var tiny = core.Settings{
	"mlp_hidden": 8, "mlp_layers": 2, "rnn_hidden_dim": 6,
	"entity_embed_dim": 5, "attn_embed_dim": 3, "attn_fc_mult": 2,
}

// with returns tiny settings with some more keys replaced.
func with(pairs ...any) core.Settings {
	s := maps.Clone(tiny)
	for i := 0; i < len(pairs); i += 2 {
		s[pairs[i].(string)] = pairs[i+1]
	}
	return s
}

// separate is the name of a task whose learners have a network for each agent.
const separate = "separate"

// apart is a small flat task of that name.
func apart(n int) core.EnvSpec {
	s := qlearntest.Spec(n)
	s.Task = separate
	return s
}

// learner makes a learner with small mixers by name.
func learner(t testing.TB, mixer string, spec core.EnvSpec, replace core.Settings, threads int) *qlearn.Learner {
	t.Helper()
	entity := qlearn.EntityConfig{Embed: 5, Attn: 3}
	small := map[string]qlearn.NewMixer{
		"vdn":   vdn.Mixer,
		"qmix":  qmix.Config{Embed: 5, Hyper: 7, Layers: 2, Weights: "per_agent", Entity: entity}.Mixer,
		"qplex": qplex.Config{Hyper: 7, Kernels: 2, AdvLayers: 2, AdvEmbed: 6, Weighted: true, MinusOne: true, Entity: entity}.Mixer,
	}
	s, err := qlearntest.Settings(replace)
	if err != nil {
		t.Fatal(err)
	}
	if spec.Task == separate {
		s["sharing"] = "none"
	}
	l, err := qlearn.New(s, spec, core.LearnerOptions{Source: rng.New(7).Child("learner"), Threads: threads}, small[mixer])
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// train makes a gradient step.
func train(t testing.TB, l *qlearn.Learner, eps []*episode.Episode) core.TrainStats {
	t.Helper()
	st, err := l.Train(eps)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// must stops a test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bytesOf is the saved state of a learner.
func bytesOf(t testing.TB, l *qlearn.Learner) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, l.Save(&b))
	return b.Bytes()
}

// batches makes a stream of small batches.
func batches(seed uint64, spec core.EnvSpec, n, size int) [][]*episode.Episode {
	s := rng.New(seed).Stream()
	var all [][]*episode.Episode
	for range n {
		all = append(all, qlearntest.Episodes(s, spec, size))
	}
	return all
}

// newActStep makes the first step of some lanes with random observations.
func newActStep(l *qlearn.Learner, spec core.EnvSpec, lanes int) *core.ActStep {
	rows := lanes * spec.Agents
	return &core.ActStep{
		Lanes: lanes, Obs: qlearntest.Normals(rng.New(3).Stream(), rows*spec.ObsWidth),
		LastActions: slices.Repeat([]int32{-1}, rows),
		Hidden:      make([]float32, rows*l.HiddenWidth()), Q: make([]float32, rows*spec.Actions),
	}
}

// available are the values of available actions: of others a training step
// computes none.
func available[T any](q []T, avail []uint8) (some []T) {
	for a, is := range avail {
		if is != 0 {
			some = append(some, q[a])
		}
	}
	return some
}
