package all

import (
	"macpro/plugins/learners/qplex"
	"macpro/registry"
)

func init() { registry.Learners.MustRegister(qplex.Plugin{}) }
