package family

import (
	"macpro/core"
	"macpro/core/config"
)

// Plugin is a family as an environment plugin, with the tasks of its benchmark.
type Plugin struct{ Family *Family }

var (
	_ core.EnvPlugin   = Plugin{}
	_ core.LaneLimiter = Plugin{}
)

// Info describes the family.
func (p Plugin) Info() core.Info { return p.Family.About }

// Settings decodes the keys that the family has.
func (p Plugin) Settings(s core.Settings) (Settings, error) {
	var c Settings
	if p.Family.Recover {
		return c, config.Decode(s, &c)
	}
	return c, config.Decode(s, &c.Config)
}

// Tasks lists the training and the test-only tasks with their constants.
func (p Plugin) Tasks(s core.Settings) (core.TaskList, error) {
	c, err := p.Settings(s)
	if err != nil {
		return core.TaskList{}, err
	}
	return p.Family.Benchmark(c)
}

// Open makes n independent battles of one task.
func (p Plugin) Open(name string, n int, s core.Settings) (core.Env, error) {
	c, err := p.Settings(s)
	if err != nil {
		return nil, err
	}
	return p.Family.Open(name, n, c)
}

// MaxLanes bounds the battles at a time when each needs a StarCraft II of its own.
// Settings that Open refuses bound nothing.
func (p Plugin) MaxLanes(s core.Settings) int {
	if c, err := p.Settings(s); err == nil && c.Real() {
		return c.Games
	}
	return 0
}
