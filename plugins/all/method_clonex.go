package all

import (
	"macpro/plugins/continual/clonex"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(clonex.Plugin{}) }
