// Package ablations holds the ablations of MACPro: for each part of the method,
// what is left without it (the paper's table of ablation studies and the figures
// on expansion and regularisation). An ablation is a few keys over the
// configuration of a run; what it changes is its file below configs/ablations.
package ablations

import (
	"slices"

	"macpro/configs"
	"macpro/core"
)

// Ablation is an overlay on the configuration of macpro, and of the two methods
// that differ from it in tests alone.
type Ablation struct{ name, summary string }

// All lists the ablations.
func All() []Ablation {
	return []Ablation{
		{"without_model", "g learns without the forward model"},
		{"without_cont_g", "g learns without the contrastive loss"},
		{"without_poe", "plain means instead of the product of experts"},
		{"without_oracle", "f learns without being told what g says"},
		{"without_cont_l", "f learns without the contrastive loss"},
		{"without_cont_gl", "no contrastive losses"},
		{"without_expansion", "a head for every task"},
		{"never_expand", "one head for all tasks"},
		{"without_reg", "the features are free to move"},
	}
}

// Info describes the ablation.
func (a Ablation) Info() core.Info {
	return core.Info{Name: a.name, Summary: a.summary, Version: "1", Config: configs.Read("ablations/" + a.name + ".yaml")}
}

// algs are the methods that have the parts.
var algs = []string{"macpro", "random", "oracle"}

// Algs names the methods that the ablation applies to.
func (Ablation) Algs() []string { return slices.Clone(algs) }

var _ core.AblationPlugin = Ablation{}
