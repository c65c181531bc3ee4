package owl

import (
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/learners/qmix"
)

// settings are the method's defaults with changes.
func settings(t testing.TB, changes ...any) core.Settings {
	t.Helper()
	return methodtest.Settings(t, Plugin{}, append([]any{"gamma", 0.9}, changes...)...)
}

func TestConformance(t *testing.T) {
	for _, feedback := range []string{"td_vdn", "return"} {
		t.Run(feedback, func(t *testing.T) {
			conform.Method(t, Plugin{}, settings(t, "owl_feedback", feedback, "fisher_episodes", 6))
		})
	}
	t.Run("td_joint", func(t *testing.T) {
		conform.MethodOn(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "fisher_episodes", 6))
	})
	t.Run("teams of unlike size", func(t *testing.T) {
		s := mini.Settings("sequence", "mixed", "envs_per_rollout", 2)
		for k, v := range settings(t, "owl_feedback", "td_vdn", "new_head", "reset", "bandit_step", 2, "bandit_eps", 0.1) {
			s[k] = v
		}
		conform.MethodOn(t, conform.MethodSubject{Plugin: Plugin{}, Env: mini.Env{}, Learner: mini.Learner{}, Settings: s})
	})
}
