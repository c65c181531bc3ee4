package all

import (
	"macpro/plugins/continual/cbp"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(cbp.Plugin{}) }
