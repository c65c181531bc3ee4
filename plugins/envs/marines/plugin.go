package marines

import (
	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/plugins/envs/internal/skirmish/battle"
	"macpro/plugins/envs/internal/skirmish/family"
)

// Plugin is the environment family "marines".
var Plugin = family.Plugin{Family: &family.Family{
	About: core.Info{
		Name:    "marines",
		Summary: "marines against marines: small battles whose squad sizes are the task",
		Version: "2",
		Config:  configs.Read("envs/marines.yaml"),
		Schema:  config.Schema(family.Config{}),
	},
	Maps:    battle.Marines,
	Trained: 4,
	Mix:     &battle.Mix{Units: []string{"m"}, Weights: []float64{1}, Least: 3, Most: 11},
}}
