package all

import (
	"macpro/plugins/continual/random"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(random.Plugin) }
