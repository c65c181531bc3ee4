package pp

import (
	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/plugins/envs/internal/lanes"
	"macpro/plugins/envs/internal/procgen"
)

// Config is the family's part of the configuration.
type Config struct {
	TimeLimit     int     `cfg:"env_args.time_limit" min:"1" max:"10000" help:"longest episode in transitions"`
	PreyNearest   string  `cfg:"env_args.prey_nearest" enum:"prey,official" help:"which predator the prey reacts to: the one nearest to the prey, or to landmark 1 as in the original program"`
	FlashVariant  string  `cfg:"env_args.pp_flash_variant" enum:"paper,official" help:"variants of flash-random: the task plus xi, or the original program's own constants"`
	LandmarkShift string  `cfg:"env_args.landmark_shift" enum:"paper,official" help:"positions in a variant shift by its own xi, or by 0.03 as in the original program"`
	RewardScale   float64 `cfg:"env_args.reward_scale" min:"0.001" help:"what the team is paid for a capture"`
	procgen.Config
}

// official is the value of the keys above that follows the original program.
const official = "official"

// Plugin is the environment family "pp".
type Plugin struct{}

var _ core.EnvPlugin = Plugin{}

// Info describes the family.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "pp",
		Summary: "predator-prey: three predators catch a prey whose policy and body are the task",
		Version: "1",
		Config:  configs.Read("envs/pp.yaml"),
		Schema:  config.Schema(Config{}),
	}
}

// Tasks lists the training sequences "train" (4 tasks), "pp10" (10) and, if it is asked
// for, "generated", and the 20 generalisation tasks with their constants.
func (Plugin) Tasks(s core.Settings) (core.TaskList, error) {
	var c Config
	if err := config.Decode(s, &c); err != nil {
		return core.TaskList{}, err
	}
	return list(c)
}

// Open makes n independent games of one task.
func (p Plugin) Open(name string, n int, s core.Settings) (core.Env, error) {
	var c Config
	if err := config.Decode(s, &c); err != nil {
		return nil, err
	}
	t, err := find(name, c)
	if err != nil {
		return nil, err
	}
	guard, err := lanes.New(p.spec(t, c), n)
	if err != nil {
		return nil, err
	}
	return &env{guard: guard, rules: newRules(t, c), reward: float32(c.RewardScale), worlds: make([]world, n)}, nil
}

func (p Plugin) spec(t task, c Config) core.EnvSpec {
	return core.EnvSpec{
		Env: "pp", Task: t.name,
		Agents: predators, Actions: actions, ObsWidth: obsWidth, StateWidth: stateWidth,
		Limit: c.TimeLimit, Score: core.ScoreReturn, MaxReturn: c.RewardScale,
		Hash: lanes.Hash(p.Info(), t.name, t.params(c)),
	}
}
