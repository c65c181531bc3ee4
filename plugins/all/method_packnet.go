package all

import (
	"macpro/plugins/continual/packnet"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(packnet.Plugin{}) }
