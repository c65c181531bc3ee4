package all

import (
	"macpro/plugins/continual/si"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(si.Plugin{}) }
