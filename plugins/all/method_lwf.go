package all

import (
	"macpro/plugins/continual/lwf"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(lwf.Plugin{}) }
