package all

import (
	"macpro/plugins/learners/iql"
	"macpro/registry"
)

func init() { registry.Learners.MustRegister(iql.Plugin{}) }
