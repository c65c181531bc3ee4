package sz

import (
	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/plugins/envs/internal/skirmish/battle"
	"macpro/plugins/envs/internal/skirmish/family"
)

// Plugin is the environment family "sz".
var Plugin = family.Plugin{Family: &family.Family{
	About: core.Info{
		Name:    "sz",
		Summary: "stalkers and zealots: small battles whose squads are the task",
		Version: "3",
		Config:  configs.Read("envs/sz.yaml"),
		Schema:  config.Schema(family.Settings{}),
	},
	Maps:    battle.StalkersZealots,
	Trained: 4,
	Mix:     &battle.Mix{Units: []string{"s", "z"}, Weights: []float64{.5, .5}, Least: 2, Most: 8},
	Recover: true,
}}
