package all

import (
	"macpro/plugins/continual/onlineewc"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(onlineewc.Plugin{}) }
