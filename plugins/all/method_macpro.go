package all

import (
	"macpro/plugins/continual/macpro"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(macpro.Plugin) }
