package all

import (
	"macpro/plugins/continual/owl"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(owl.Plugin{}) }
