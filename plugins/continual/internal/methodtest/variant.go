package methodtest

import (
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
)

// Variant tests a method that is another one under a mode of its own: it
// conforms, its mode comes first among as many modes, and it trains like base,
// bit for bit.
func Variant(t *testing.T, p, base core.MethodPlugin, mode string) {
	t.Run("conformance", func(t *testing.T) { conform.MethodOn(t, brief(t, p)) })
	t.Run("mode", func(t *testing.T) {
		_, want, like := Play(t, brief(t, base))
		_, got, res := Play(t, brief(t, p))
		if res.Method != p.Info().Name || len(res.Modes) != len(like.Modes) || res.Modes[0] != mode {
			t.Errorf("method %s with modes %v, want %d with %s first", res.Method, res.Modes, len(like.Modes), mode)
		}
		if err := conform.SameParts(want, got, continual.PartRun); err != nil {
			t.Errorf("not trained like %s: %v", base.Info().Name, err)
		}
	})
}

// brief is MACPro, or a variant of it, in short runs with three heads and some
// context steps.
func brief(t *testing.T, p core.MethodPlugin) conform.MethodSubject {
	t.Helper()
	return Subject(t, p, mini.Learner{}, "steps_per_task", 60, "expansion", "always",
		"z_dim", 4, "enc_depth", 1, "enc_ff_mult", 2, "context_batch", 4, "kappa1", 40, "probe_nepisode", 2)
}
