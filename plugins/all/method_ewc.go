package all

import (
	"macpro/plugins/continual/ewc"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(ewc.Plugin{}) }
