package all

import (
	"macpro/plugins/envs/smac"
	"macpro/registry"
)

func init() { registry.Envs.MustRegister(smac.Plugin) }
