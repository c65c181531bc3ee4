package mini

import (
	"maps"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/nn"
	"macpro/core/qlearn"
)

// Recurrent is the plugin "mini-recurrent": the learner of package qlearn with
// networks that cost next to nothing and a mixer of one layer. It has all the
// optional abilities, of which Learner has none.
type Recurrent struct{}

var _ core.LearnerPlugin = Recurrent{}

// Info names the plugin.
func (Recurrent) Info() core.Info {
	return core.Info{Name: "mini-recurrent", Summary: "small recurrent networks, values mixed by one layer", Version: "1"}
}

// New makes a learner; keys that the settings lack have their defaults.
func (Recurrent) New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	all, err := config.Defaults(configs.Default, configs.Read(configs.Default), config.Schema(qlearn.Config{}))
	if err != nil {
		return nil, err
	}
	maps.Copy(all, s)
	maps.Copy(all, core.Settings{"mlp_hidden": 8, "mlp_layers": 2, "rnn_hidden_dim": 6})
	return qlearn.New(all, spec, o, func(l *nn.Layout, spec core.EnvSpec) (qlearn.Mixer, error) {
		return oneLayer{l.Linear("mixer.sum", spec.Agents, 1, nn.ActNone)}, nil
	})
}

type oneLayer struct{ layer nn.MLP }

func (x oneLayer) QTot(m *qlearn.Mixing) (*nn.Value, error) { return m.Result(m.Net(x.layer, m.Q)) }
