package all

import (
	"macpro/plugins/envs/lbf"
	"macpro/registry"
)

func init() { registry.Envs.MustRegister(lbf.Plugin{}) }
