package sz

import (
	"testing"

	"macpro/plugins/envs/internal/skirmish/family/familytest"
)

func BenchmarkStep(b *testing.B) { familytest.Benchmark(b, Plugin, "2s3z", "3s5z") }
