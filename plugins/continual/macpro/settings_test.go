package macpro

import (
	"testing"

	"macpro/core/conform"
)

// defaults are the method's settings as the configuration files have them, with
// the shared keys at their defaults.
func defaults() *settings {
	return &settings{
		Config: Config{
			ZDim: 32, EncHeads: 3, EncDepth: 6, EncFFMult: 4, EncPosEnc: "none", Aggregation: "poe", POEPrior: true, POEMask: true, LocalEncoder: "shared",
			ModelHidden: 64, ModelTarget: "delta", RecCoef: 1, ApproxCoef: 1, AlphaContG: 0.1, AlphaContL: 0.1, Divergence: "mean_half", ContEps: 1e-3,
			ContextBatch: 32, MinGroups: 2, ContextBuffer: 5000, Kappa1: 1000, Kappa2: 10000, AlphaReg: 500, RegNorm: "squared",
			Expansion: "adaptive", LambdaNew: 1.5, NewHead: "copy", Identify: "per_head", IdentifyEps: 0.05, MergeScore: "distance",
			CenterMode: "fresh", CenterFrom: "newest", ProbeEpisodes: 20, ProbeEps: 0.05, ProbeHeads: "episode", ProbeUse: "min",
			RandomHeads: "episode", CurrentHead: "live", GenCenters: "buffer",
		},
		shared: shared{LR: 5e-4, GradNormClip: 10, FeatureScale: 1},
	}
}

func TestDefaultsAreThoseOfTheFile(t *testing.T) {
	s := conform.Defaults(t, Plugin{}.Info())
	s["lr"], s["grad_norm_clip"], s["feature_scale"] = 5e-4, 10.0, 1.0
	c, err := decode(s)
	if err != nil {
		t.Fatal(err)
	}
	if want := forTeams(defaults()).Config; c.Config != want {
		t.Errorf("the file has %+v, want %+v", c.Config, want)
	}
}
