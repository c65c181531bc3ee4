package smac

import (
	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/plugins/envs/internal/skirmish/battle"
	"macpro/plugins/envs/internal/skirmish/family"
)

// Config is the family's part of the configuration.
type Config struct {
	Map string `cfg:"env_args.map" help:"SMAC map that makes up the sequence train, such as 2s3z"`
	family.Settings
}

// Plugin is the environment family "smac".
var Plugin = plugin{family.Plugin{Family: &family.Family{
	About: core.Info{
		Name:    "smac",
		Summary: "the maps of the StarCraft Multi-Agent Challenge, simulated",
		Version: "4",
		Config:  configs.Read("envs/smac.yaml"),
		Schema:  config.Schema(Config{}),
	},
	Maps:    battle.Standard,
	Mix:     &battle.Mix{Units: []string{"a", "m", "v"}, Weights: []float64{.45, .45, .1}, Least: 3, Most: 10},
	Recover: true,
}}}

// plugin has other sequences than a continual benchmark.
type plugin struct{ family.Plugin }

// Tasks lists the chosen map as the sequence "train" and all maps as the sequence
// "all". An unknown map is an error that names the nearest known one.
func (p plugin) Tasks(s core.Settings) (core.TaskList, error) {
	var c Config
	if err := config.Decode(s, &c); err != nil {
		return core.TaskList{}, err
	}
	sequences := map[string][]string{"train": {c.Map}, "all": p.Family.Names()}
	return p.Family.Tasks(sequences, nil, c.Settings)
}
