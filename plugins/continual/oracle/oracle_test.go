package oracle

import (
	"testing"

	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/continual/macpro"
)

func TestVariant(t *testing.T) { methodtest.Variant(t, Plugin, macpro.Plugin, "oracle") }
