package methodtest

import (
	"maps"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/plugins/envs/marines"
	"macpro/plugins/learners/qmix"
)

// Battles runs a method on two battles of teams of unlike size, with a small
// attentive network: all calls are watched, and it is resumed from many of its
// checkpoints.
func Battles(t *testing.T, p core.MethodPlugin, changes ...any) {
	t.Helper()
	s := Subject(t, p, qmix.Plugin{}, append([]any{"tasks", []string{"4m", "3m"}, "steps_per_task", 160, "test_nepisode", 1, "test_interval", 150,
		"batch_size", 2, "checkpoint_keep", 1, "entity_embed_dim", 8, "attn_fc_mult", 1}, changes...)...)
	s.Env = marines.Plugin
	own := conform.Defaults(t, s.Env.Info())
	maps.Copy(own, s.Settings)
	s.Settings = own
	conform.MethodOn(t, s, "info", "modes", "purity", "determinism", "damaged state")
}
