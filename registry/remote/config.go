package remote

import (
	"time"

	"macpro/core"
	"macpro/core/config"
)

// Config holds the keys of the configuration that concern plugins in processes
// of their own. None of them can change a result.
type Config struct {
	Isolate     []string `cfg:"plugins.isolate" help:"built-in plugins to run in a process of their own, as in env/lbf"`
	Paths       []string `cfg:"plugins.paths" help:"external plugins of this run: folders with a plugin.yaml, or programs"`
	Dirs        []string `cfg:"plugins.dirs" help:"folders with external plugins, which run once they are accepted"`
	SHA256      []string `cfg:"plugins.sha256" help:"states that external plugins must have, as in env/maze=SHA256"`
	CallTimeout float64  `cfg:"plugins.call_timeout" min:"0" help:"longest time in seconds that a call of a plugin in another process may take; 0 is no limit"`
}

// Schema lists the keys of Config.
func Schema() []core.Field { return config.Schema(Config{}) }

// Timeout is CallTimeout as a duration.
func (c Config) Timeout() time.Duration { return time.Duration(c.CallTimeout * float64(time.Second)) }
