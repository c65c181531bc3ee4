package pp

import (
	"testing"

	"macpro/core/conform"
)

func BenchmarkStep(b *testing.B) {
	for _, task := range kinds {
		b.Run(task, func(b *testing.B) {
			e, err := Plugin{}.Open(task, 32, conform.Defaults(b, Plugin{}.Info()))
			if err != nil {
				b.Fatal(err)
			}
			conform.BenchmarkEnv(b, e, 32)
		})
	}
}
