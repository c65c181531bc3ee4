package all

import (
	"macpro/plugins/continual/mas"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(mas.Plugin{}) }
