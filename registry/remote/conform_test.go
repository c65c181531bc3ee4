package remote_test

import (
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/plugins/envs/lbf"
)

// The suites that plugins in this process pass hold across the border as well.
func TestConformance(t *testing.T) {
	t.Run("env", func(t *testing.T) {
		p := isolated[core.EnvPlugin](t, "env/lbf")
		conform.Env(t, p, conform.Defaults(t, lbf.Plugin{}.Info()), "allocations")
	})
	t.Run("method", func(t *testing.T) {
		conform.Method(t, isolated[core.MethodPlugin](t, "method/mini-method"), nil)
	})
	t.Run("method and learner", func(t *testing.T) {
		conform.MethodOn(t, conform.MethodSubject{
			Plugin: isolated[core.MethodPlugin](t, "method/mini-method"), Env: mini.Env{},
			Learner:  isolated[core.LearnerPlugin](t, "learner/mini-learner"),
			Settings: mini.Settings(),
		}, "purity", "resume", "determinism")
	})
	t.Run("finetuning", func(t *testing.T) {
		conform.Method(t, isolated[core.MethodPlugin](t, "method/finetuning"), nil)
	})
}
