package marines

import (
	"testing"

	"macpro/plugins/envs/internal/skirmish/family/familytest"
)

func BenchmarkStep(b *testing.B) { familytest.Benchmark(b, Plugin, "5m_vs_6m", "13m") }
