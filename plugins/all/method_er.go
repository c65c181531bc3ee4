package all

import (
	"macpro/plugins/continual/er"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(er.Plugin{}) }
