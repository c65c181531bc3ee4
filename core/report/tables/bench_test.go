package tables

import (
	"testing"

	"macpro/core/report/format"
	"macpro/core/report/internal/study"
	"macpro/core/report/read"
)

// BenchmarkMain makes the table of 2,000 runs.
func BenchmarkMain(b *testing.B) {
	set := &read.Set{}
	for seed := range int64(1000) {
		x := float64(seed%7) / 7
		set.Runs = append(set.Runs,
			study.Made("finetuning", "lbf", seed, map[string][]float64{"single": {0, x, 0, x / 2, 1}}),
			study.Made("macpro", "lbf", seed, map[string][]float64{"ctde": {1, x, 0.5, 1, x}}))
	}
	lib := study.Library(b)
	for _, stats := range []string{format.StatsMean, format.StatsIQM} {
		b.Run(stats, func(b *testing.B) {
			for b.Loop() {
				if _, err := Build("main", set, Options{Library: lib, Stats: stats}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
