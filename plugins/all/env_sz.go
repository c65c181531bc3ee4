package all

import (
	"macpro/plugins/envs/sz"
	"macpro/registry"
)

func init() { registry.Envs.MustRegister(sz.Plugin) }
