package all

import (
	"macpro/plugins/continual/l2init"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(l2init.Plugin{}) }
