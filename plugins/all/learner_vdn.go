package all

import (
	"macpro/plugins/learners/vdn"
	"macpro/registry"
)

func init() { registry.Learners.MustRegister(vdn.Plugin{}) }
