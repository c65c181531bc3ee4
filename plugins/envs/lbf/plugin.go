package lbf

import (
	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/plugins/envs/internal/lanes"
	"macpro/plugins/envs/internal/procgen"
)

// Config is the family's part of the configuration.
type Config struct {
	TimeLimit   int     `cfg:"env_args.time_limit" min:"1" max:"10000" help:"longest episode in transitions"`
	SpawnSize   int     `cfg:"env_args.spawn_size" min:"2" max:"3" help:"side of the top-left square of cells where players start"`
	MaxLevel    int     `cfg:"env_args.max_level" min:"1" max:"1000" help:"players' levels are uniform in 1 to this"`
	RewardScale float64 `cfg:"env_args.reward_scale" min:"0.001" help:"what the team is paid for the food"`
	procgen.Config
}

// Plugin is the environment family "lbf".
type Plugin struct{}

var _ core.EnvPlugin = Plugin{}

// Info describes the family.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "lbf",
		Summary: "level-based foraging: two players meet at the food, whose cell is the task",
		Version: "1",
		Config:  configs.Read("envs/lbf.yaml"),
		Schema:  config.Schema(Config{}),
	}
}

// Tasks lists the 5 training, the 20 test-only and the generated tasks with their
// constants.
func (Plugin) Tasks(s core.Settings) (core.TaskList, error) {
	var c Config
	if err := config.Decode(s, &c); err != nil {
		return core.TaskList{}, err
	}
	return list(c)
}

// Open makes n boards of one task.
func (p Plugin) Open(name string, n int, s core.Settings) (core.Env, error) {
	var c Config
	if err := config.Decode(s, &c); err != nil {
		return nil, err
	}
	t, err := find(name)
	if err != nil {
		return nil, err
	}
	guard, err := lanes.New(p.spec(t, c), n)
	if err != nil {
		return nil, err
	}
	return &env{guard: guard, task: t, cfg: c, worlds: make([]world, n)}, nil
}

func (p Plugin) spec(t task, c Config) core.EnvSpec {
	return core.EnvSpec{
		Env: "lbf", Task: t.name,
		Agents: players, Actions: actions, ObsWidth: width, StateWidth: width,
		Limit: c.TimeLimit, Score: core.ScoreReturn, MaxReturn: c.RewardScale,
		Hash: lanes.Hash(p.Info(), t.name, t.params(c)),
	}
}
