package all

import (
	"macpro/plugins/envs/pp"
	"macpro/registry"
)

func init() { registry.Envs.MustRegister(pp.Plugin{}) }
