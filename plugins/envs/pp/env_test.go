package pp

import (
	"testing"

	"macpro/core/conform"
)

func TestConformance(t *testing.T) {
	conform.Env(t, Plugin{}, conform.Defaults(t, Plugin{}.Info()))
}
