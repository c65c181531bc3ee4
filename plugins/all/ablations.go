package all

import (
	"macpro/plugins/ablations"
	"macpro/registry"
)

func init() {
	for _, a := range ablations.All() {
		registry.Ablations.MustRegister(a)
	}
}
