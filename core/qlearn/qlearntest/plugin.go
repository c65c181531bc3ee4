package qlearntest

import (
	"bytes"
	"maps"
	"testing"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/rng"
)

// Plugin checks a learner's plugin as a run uses it. Its file holds its own
// settings. With them it makes a learner that learns, saves and restores. It
// refuses missing settings and sequences with tasks that it cannot serve. Where
// tasks are made of entities it serves teams of several sizes. It also learns with a
// network for each agent.
func Plugin(t *testing.T, p core.LearnerPlugin) {
	info := p.Info()
	if info.Name == "" || info.Summary == "" || info.Version == "" {
		t.Errorf("incomplete description %+v", info)
	}
	own, err := config.Defaults(info.Name, info.Config, info.Schema)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Settings(own)
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec(2)
	open := func(s core.Settings) (core.Learner, error) {
		return p.New(s, spec, core.LearnerOptions{Source: rng.New(1), Threads: 1})
	}
	l, err := open(s)
	if err != nil {
		t.Fatal(err)
	}
	learns(t, l, spec)
	var state bytes.Buffer
	if err := l.Save(&state); err != nil {
		t.Fatal(err)
	}
	if other, err := open(s); err != nil || other.Load(&state) != nil {
		t.Error("a learner's state is refused by a learner of the same kind")
	}
	apart := maps.Clone(s)
	apart["sharing"] = "none"
	if l, err = open(apart); err != nil {
		t.Fatal(err)
	}
	learns(t, l, spec)
	for key := range own {
		delete(s, key)
		if _, err := open(s); err == nil {
			t.Errorf("made without a value for %s", key)
		}
		s[key] = own[key]
	}
	matches(t, p, s, spec)
	teams(t, p, s)
}

// learns fits one batch with fixed targets, which must bring the loss down.
func learns(t *testing.T, l core.Learner, spec core.EnvSpec) {
	eps := Episodes(rng.New(2).Stream(), spec, 8)
	var first, last core.TrainStats
	for i := range 60 {
		st, err := l.Train(eps)
		if err != nil {
			t.Fatal(err)
		}
		if last = st; i == 0 {
			first = st
		}
	}
	if last.TDLoss > 0.7*first.TDLoss {
		t.Errorf("the loss on one batch went from %v to %v", first.TDLoss, last.TDLoss)
	}
}

// matches checks the refusal of tasks of unlike shapes.
func matches(t *testing.T, p core.LearnerPlugin, s core.Settings, spec core.EnvSpec) {
	m, ok := p.(core.Matcher)
	if !ok {
		return
	}
	wide := spec
	wide.Agents++
	match := func(tasks ...core.EnvSpec) error {
		return m.Match(core.Pairing{Learner: p.Info().Name, Tasks: tasks, Settings: s})
	}
	if err := match(spec, spec); err != nil {
		t.Errorf("refused equal tasks: %v", err)
	}
	if match(spec, wide) == nil {
		t.Error("took a sequence of flat tasks whose teams differ in size")
	}
}

// teams checks that one learner learns in tasks of entities of unlike numbers.
func teams(t *testing.T, p core.LearnerPlugin, s core.Settings) {
	tasks := []core.EnvSpec{Entities(2, 3), Entities(4, 2)}
	s = maps.Clone(s)
	maps.Copy(s, core.Settings{"entity_embed_dim": 16, "attn_fc_mult": 2, "rnn_hidden_dim": 16, "lr": 0.003})
	if m, ok := p.(core.Matcher); ok {
		if err := m.Match(core.Pairing{Learner: p.Info().Name, Tasks: tasks, Settings: s}); err != nil {
			t.Errorf("refused teams of several sizes: %v", err)
		}
	}
	l, err := p.New(s, tasks[0], core.LearnerOptions{Source: rng.New(1), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range tasks {
		if err := l.SetTask(spec); err != nil {
			t.Fatal(err)
		}
		learns(t, l, spec)
	}
}
