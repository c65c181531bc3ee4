package sc2

import (
	"strconv"
	"time"

	"macpro/core"
)

// Backend is the value of env_args.backend that selects this package.
const Backend = "sc2"

// Config is the part of an environment's configuration that concerns the real game.
type Config struct {
	Backend      string   `cfg:"env_args.backend" enum:"embedded,sc2" help:"who plays the battles: the embedded engine, or StarCraft II (see docs/starcraft.md)"`
	Path         string   `cfg:"env_args.sc2_path" only:"env_args.backend=sc2" help:"folder of StarCraft II; empty: the variable SC2PATH, else the usual place"`
	Maps         string   `cfg:"env_args.sc2_maps" only:"env_args.backend=sc2" help:"folder of the .SC2Map files; empty: Maps/SMAC_Maps of the game"`
	Version      string   `cfg:"env_args.sc2_version" only:"env_args.backend=sc2" help:"build of the game, such as Base69232 for 4.6.2; empty: the newest that is installed"`
	Args         []string `cfg:"env_args.sc2_args" only:"env_args.backend=sc2" help:"more arguments for the game"`
	Fresh        bool     `cfg:"env_args.sc2_fresh" only:"env_args.backend=sc2" help:"a new match for every episode, so that the episode's seed reaches the game; slower"`
	Games        int      `cfg:"env_args.sc2_games" min:"1" only:"env_args.backend=sc2" help:"most games at a time, of about a gigabyte each; more episodes wait for their turn"`
	Replays      string   `cfg:"env_args.sc2_replays" only:"env_args.backend=sc2" help:"folder for the replays of all matches; empty: none are kept"`
	StartTimeout float64  `cfg:"env_args.sc2_start_timeout" min:"0.1" only:"env_args.backend=sc2" help:"seconds that the game may take to start, and to load a map"`
	Timeout      float64  `cfg:"env_args.sc2_timeout" min:"0.1" only:"env_args.backend=sc2" help:"seconds that the game may take for any other answer"`
}

// Real reports whether the configuration selects the real game.
func (c Config) Real() bool { return c.Backend == Backend }

// Params lists the constants of the real game that can change results: none for the
// embedded engine. A game that cannot be found is reported by Open.
func (c Config) Params() []core.Param {
	if !c.Real() {
		return nil
	}
	version := c.Version
	if in, err := find(c); err == nil {
		version = in.version()
	}
	return []core.Param{
		{Name: "backend", Value: Backend},
		{Name: "game", Value: version},
		{Name: "new match for every episode", Value: strconv.FormatBool(c.Fresh)},
	}
}

func (c Config) startTimeout() time.Duration { return seconds(c.StartTimeout) }
func (c Config) timeout() time.Duration      { return seconds(c.Timeout) }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
