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
	family.Config
}

// Plugin is the environment family "smac".
type Plugin struct{}

var (
	_ core.EnvPlugin   = Plugin{}
	_ core.LaneLimiter = Plugin{}
)

var maps = family.Family{
	About: core.Info{
		Name:    "smac",
		Summary: "the maps of the StarCraft Multi-Agent Challenge, simulated",
		Version: "2",
		Config:  configs.Read("envs/smac.yaml"),
		Schema:  config.Schema(Config{}),
	},
	Maps: battle.Standard,
}

// Info describes the family.
func (Plugin) Info() core.Info { return maps.About }

// Tasks lists the chosen map as the sequence "train" and all maps as the sequence
// "all". An unknown map is an error that names the nearest known one.
func (Plugin) Tasks(s core.Settings) (core.TaskList, error) {
	var c Config
	if err := config.Decode(s, &c); err != nil {
		return core.TaskList{}, err
	}
	sequences := map[string][]string{"train": {c.Map}, "all": maps.Names()}
	return maps.Tasks(sequences, nil, c.Config)
}

// Open makes n independent battles on one map.
func (Plugin) Open(name string, n int, s core.Settings) (core.Env, error) {
	var c Config
	if err := config.Decode(s, &c); err != nil {
		return nil, err
	}
	return maps.Open(name, n, c.Config)
}

// MaxLanes bounds the battles at a time when each needs a StarCraft II of its own. Settings
// that Open refuses bound nothing.
func (Plugin) MaxLanes(s core.Settings) int {
	var c Config
	if config.Decode(s, &c) != nil {
		return 0
	}
	return maps.MaxLanes(c.Config)
}
