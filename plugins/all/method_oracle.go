package all

import (
	"macpro/plugins/continual/oracle"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(oracle.Plugin) }
