package all

import (
	"macpro/plugins/envs/marines"
	"macpro/registry"
)

func init() { registry.Envs.MustRegister(marines.Plugin) }
