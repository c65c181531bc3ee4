package remote

import (
	"slices"

	"macpro/core"
)

// ablationPlugin is an ablation: all that there is to it is its description.
type ablationPlugin struct{ *host }

var (
	_ core.AblationPlugin = (*ablationPlugin)(nil)
	_ Plugin              = (*ablationPlugin)(nil)
)

// Algs names the methods that the ablation applies to.
func (p *ablationPlugin) Algs() []string { return slices.Clone(p.launch.Algs) }
