package sc2

import (
	"testing"

	"macpro/plugins/envs/internal/sc2/sc2test"
	"macpro/plugins/envs/internal/skirmish"
)

// BenchmarkStep measures what an environment step costs beside the game: three
// requests over the local network, and the stand-in's eight ticks of battle.
func BenchmarkStep(b *testing.B) {
	for _, m := range []string{"3m", "13m"} {
		b.Run(m, func(b *testing.B) {
			root := sc2test.Install(b, sc2test.Settings{})
			p := newPlayed(open(b, task(b, m, skirmish.Liberty()), 1, config(root)))
			p.f.Terminated[0] = true
			for b.Loop() {
				if p.f.Terminated[0] || p.f.Truncated[0] {
					p.reset(b, 1)
				}
				p.step(b)
			}
		})
	}
}
