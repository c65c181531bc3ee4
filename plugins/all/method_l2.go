package all

import (
	"macpro/plugins/continual/l2"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(l2.Plugin{}) }
