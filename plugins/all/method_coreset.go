package all

import (
	"macpro/plugins/continual/coreset"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(coreset.Plugin{}) }
