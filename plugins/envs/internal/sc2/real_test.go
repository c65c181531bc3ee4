package sc2

import (
	"os"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/rng"
	"macpro/plugins/envs/internal/sc2/sc2test"
	"macpro/plugins/envs/internal/skirmish"
	"macpro/plugins/envs/internal/skirmish/battle"
)

// realGame returns a configuration for the StarCraft II of this machine, or skips.
func realGame(t *testing.T) Config {
	t.Helper()
	if os.Getenv("SC2PATH") == "" {
		t.Skip("no StarCraft II here: SC2PATH is not set (docs/starcraft.md)")
	}
	c := config("")
	c.StartTimeout, c.Timeout = 120, 60
	return c
}

func TestRealGame(t *testing.T) { checkGame(t, realGame(t)) }

// What the real game is asked holds for the stand-in, too.
func TestRealGameStandIn(t *testing.T) { checkGame(t, config(sc2test.Install(t, sc2test.Settings{}))) }

// checkGame plays some episodes. They must keep what the embedded engine assumes of
// the game: sizes, walkable rows, the order of agents, health; orders are accepted.
func checkGame(t *testing.T, c Config) {
	for _, name := range []string{"3m", "2s3z"} {
		t.Run(name, func(t *testing.T) {
			p := newPlayed(open(t, task(t, name, skirmish.Liberty()), 1, c))
			r := rng.New(1).Child("policy").Stream()
			var g *game
			cooldown := map[skirmish.Kind]float64{}
			for episode := range 2 {
				p.reset(t, 1)
				checkStart(t, p.lanes[0])
				g = p.lanes[0].game
				for steps := 0; !p.f.Terminated[0] && !p.f.Truncated[0] || steps == 0; steps++ {
					choose(r, p.f.Avail, p.u)
					if err := p.Step([]int{0}, p.u, p.f); err != nil {
						t.Fatal(err)
					}
					for _, u := range p.lanes[0].roster.table.Agents {
						cooldown[u.Kind] = max(cooldown[u.Kind], u.Cooldown)
					}
				}
				t.Logf("episode %d: won %v, agents alive %v", episode, p.f.Won[0], alive(p.f, p.Spec()))
			}
			t.Logf("largest cooldowns in game loops: %v", cooldown)
			if most := cooldown[skirmish.Stalker]; most > 27 {
				t.Errorf("a stalker's cooldown of %v loops is not that of the unit data that the embedded engine uses (23, and 2 at random)", most)
			}
			if n := p.lanes[0].losses; n > 0 || g.vain > 0 {
				t.Errorf("the game was lost %d times, and refused %d orders", n, g.vain)
			}
		})
	}
}

// checkStart looks at the first moment of an episode.
func checkStart(t *testing.T, l *lane) {
	t.Helper()
	g := l.game.ground
	if g.width != skirmish.MapSize || g.height != skirmish.MapSize || g.spanX != skirmish.MapSize || g.spanY != skirmish.MapSize {
		t.Errorf("a map of %d by %d cells, of which %v by %v are playable", g.width, g.height, g.spanX, g.spanY)
	}
	for y := range g.height {
		for x := range g.width {
			if open := skirmish.Field.Open(x, y); g.walkable(x, y) != open {
				t.Errorf("cell (%d,%d) is walkable: %v", x, y, !open)
			}
		}
	}
	agents := l.roster.table.Agents
	if !slices.IsSortedFunc(agents, func(a, b battle.Unit) int { return int(a.Kind) - int(b.Kind) }) {
		t.Errorf("agents %v are not in the order of their types", agents)
	}
	for _, u := range slices.Concat(agents, l.roster.table.Enemies) {
		s := &l.Options.Rules.Stats[u.Kind]
		if u.HealthMax != s.Health || u.Health != s.Health {
			t.Errorf("a %v starts with health %v of %v, want %v", u.Kind, u.Health, u.HealthMax, s.Health)
		}
	}
}

func alive(f *core.Frame, s core.EnvSpec) int {
	n := 0
	for i := range s.Agents {
		n += int(f.Avail[i*s.Actions+1])
	}
	return n
}
