package macpro

import (
	"testing"

	"macpro/core"
)

// BenchmarkTeamContextStep is a context step on groups of 32 battles.
func BenchmarkTeamContextStep(b *testing.B) {
	for name, specs := range map[string][]core.EnvSpec{
		"4m": {marines("4m", 4, 4, 60)}, "13m": {marines("13m", 13, 13, 100)},
		"mixed": {marines("5m_vs_6m", 5, 6, 70), marines("13m", 13, 13, 100), marines("4m", 4, 4, 60), marines("8m_vs_9m", 8, 9, 120)},
	} {
		b.Run(name, func(b *testing.B) {
			tr := teamTrainer(b, forTeams(defaults()), specs...)
			batch := teamBatch(tr, 2, 32)
			if _, _, err := tr.step(batch); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := tr.step(batch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
