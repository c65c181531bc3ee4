package remote_test

import (
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/qlearn/qlearntest"
	"macpro/plugins/envs/lbf"
	"macpro/plugins/learners/qmix"
)

// The suites that plugins in this process pass hold across the border as well.
func TestConformance(t *testing.T) {
	t.Parallel()
	t.Run("env", func(t *testing.T) {
		t.Parallel()
		p := isolated[core.EnvPlugin](t, "env/lbf")
		skip := []string{"allocations"}
		if testing.Short() {
			skip = append(skip, "episodes", "hash") // every task and key
		}
		conform.Env(t, p, conform.Defaults(t, lbf.Plugin{}.Info()), skip...)
	})
	t.Run("learner", func(t *testing.T) {
		t.Parallel()
		if testing.Short() {
			t.Skip("thousands of calls")
		}
		s, err := qlearntest.Settings(conform.Defaults(t, qmix.Plugin{}.Info()))
		if err != nil {
			t.Fatal(err)
		}
		conform.Learner(t, conform.LearnerSubject{Plugin: isolated[core.LearnerPlugin](t, "learner/qmix"), Settings: s})
	})
	t.Run("method", func(t *testing.T) {
		t.Parallel()
		conform.Method(t, isolated[core.MethodPlugin](t, "method/mini-method"), nil)
	})
	if testing.Short() {
		return
	}
	t.Run("method and learner", func(t *testing.T) {
		t.Parallel()
		conform.MethodOn(t, conform.MethodSubject{
			Plugin: isolated[core.MethodPlugin](t, "method/mini-method"), Env: mini.Env{},
			Learner:  isolated[core.LearnerPlugin](t, "learner/mini-learner"),
			Settings: mini.Settings(),
		}, "purity", "resume", "determinism")
	})
	t.Run("finetuning", func(t *testing.T) {
		t.Parallel()
		conform.Method(t, isolated[core.MethodPlugin](t, "method/finetuning"), nil)
	})
}
