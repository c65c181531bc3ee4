// Command corridor is an environment plugin: two agents in a corridor must be
// at its exit together. The exit's cell is the task, so that what one task
// teaches (walk right) is wrong in the next.
package main

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/names"
	"macpro/registry/remote"
)

func main() { remote.Serve(Plugin{}) }

// Config holds the keys of the family.
type Config struct {
	Length    int `cfg:"env_args.length" min:"3" help:"cells of the corridor"`
	TimeLimit int `cfg:"env_args.time_limit" min:"1" help:"longest episode in transitions"`
}

// sample is the plugin's file: the defaults of its keys, and a shared key that
// runs on it override.
const sample = `feature_scale: 1.0
env_args:
  length: 7       # cells of the corridor
  time_limit: 12  # longest episode in transitions
`

// Plugin is the environment family "corridor".
type Plugin struct{}

var _ core.EnvPlugin = Plugin{}

// Info describes the family.
func (Plugin) Info() core.Info {
	return core.Info{
		Name: "corridor", Summary: "two agents meet at the exit of a corridor, whose cell is the task", Version: "1",
		Config: []byte(sample), Schema: config.Schema(Config{}),
	}
}

// exits gives each task's exit as a fraction of the corridor.
var exits = map[string]float64{"right": 1, "left": 0, "middle": 0.5}

var train = []string{"right", "left"}

// Tasks lists two tasks to train and one that is only tested.
func (Plugin) Tasks(s core.Settings) (core.TaskList, error) {
	var c Config
	if err := config.Decode(s, &c); err != nil {
		return core.TaskList{}, err
	}
	l := core.TaskList{Sequences: map[string][]string{"train": slices.Clone(train)}, Generalization: []string{"middle"}, Params: map[string][]core.Param{}}
	for task := range exits {
		l.Params[task] = c.params(task)
	}
	return l, nil
}

func (c Config) exit(task string) int { return int(exits[task] * float64(c.Length-1)) }

// params are the constants of a task.
func (c Config) params(task string) []core.Param {
	return []core.Param{
		{Name: "exit", Value: strconv.Itoa(c.exit(task))},
		{Name: "length", Value: strconv.Itoa(c.Length)},
		{Name: "limit", Value: strconv.Itoa(c.TimeLimit)},
	}
}

// Open makes corridors of one task.
func (p Plugin) Open(task string, lanes int, s core.Settings) (core.Env, error) {
	var c Config
	if err := config.Decode(s, &c); err != nil {
		return nil, err
	}
	if _, ok := exits[task]; !ok {
		return nil, names.Unknown("corridor task", task, append(slices.Clone(train), "middle"))
	}
	if lanes < 1 {
		return nil, fmt.Errorf("corridor %s: %d lanes, want at least 1", task, lanes)
	}
	hash := sha256.Sum256(fmt.Append(nil, p.Info().Name, p.Info().Version, task, c.params(task)))
	return &env{exit: c.exit(task), cfg: c, worlds: make([]world, lanes), spec: core.EnvSpec{
		Env: "corridor", Task: task, Agents: agents, Actions: actions, ObsWidth: width, StateWidth: width,
		Limit: c.TimeLimit, Score: core.ScoreReturn, MaxReturn: 1, Hash: fmt.Sprintf("%x", hash),
	}}, nil
}
