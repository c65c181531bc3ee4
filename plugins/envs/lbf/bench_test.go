package lbf

import (
	"testing"

	"macpro/core/conform"
)

func BenchmarkStep(b *testing.B) {
	e, err := Plugin{}.Open("bottomright", 32, conform.Defaults(b, Plugin{}.Info()))
	if err != nil {
		b.Fatal(err)
	}
	conform.BenchmarkEnv(b, e, 32)
}
