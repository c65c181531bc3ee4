package all

import (
	"macpro/plugins/continual/agem"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(agem.Plugin{}) }
