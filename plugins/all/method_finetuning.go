package all

import (
	"macpro/plugins/continual/finetuning"
	"macpro/registry"
)

func init() { registry.Methods.MustRegister(finetuning.Plugin{}) }
