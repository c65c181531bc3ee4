package all

import (
	"macpro/plugins/learners/qmix"
	"macpro/registry"
)

func init() { registry.Learners.MustRegister(qmix.Plugin{}) }
