package sz

import (
	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/plugins/envs/internal/skirmish/battle"
	"macpro/plugins/envs/internal/skirmish/family"
)

// Plugin is the environment family "sz".
type Plugin struct{}

var (
	_ core.EnvPlugin   = Plugin{}
	_ core.LaneLimiter = Plugin{}
)

var sz = family.Family{
	About: core.Info{
		Name:    "sz",
		Summary: "stalkers and zealots: small battles whose squads are the task",
		Version: "2",
		Config:  configs.Read("envs/sz.yaml"),
		Schema:  config.Schema(family.Config{}),
	},
	Maps:    battle.StalkersZealots,
	Trained: 4,
}

// Info describes the family.
func (Plugin) Info() core.Info { return sz.About }

// Tasks lists the 4 training and the 20 test-only tasks with their constants.
func (Plugin) Tasks(s core.Settings) (core.TaskList, error) {
	var c family.Config
	if err := config.Decode(s, &c); err != nil {
		return core.TaskList{}, err
	}
	return sz.Benchmark(c)
}

// Open makes n independent battles of one task.
func (Plugin) Open(name string, n int, s core.Settings) (core.Env, error) {
	var c family.Config
	if err := config.Decode(s, &c); err != nil {
		return nil, err
	}
	return sz.Open(name, n, c)
}

// MaxLanes bounds the battles at a time when each needs a StarCraft II of its own. Settings
// that Open refuses bound nothing.
func (Plugin) MaxLanes(s core.Settings) int {
	var c family.Config
	if config.Decode(s, &c) != nil {
		return 0
	}
	return sz.MaxLanes(c)
}
