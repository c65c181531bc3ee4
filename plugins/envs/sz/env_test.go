package sz

import (
	"maps"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/plugins/envs/internal/skirmish/family/familytest"
)

func defaults(t testing.TB) core.Settings {
	t.Helper()
	return conform.Defaults(t, Plugin.Info())
}

// others are settings in which every key differs from its default.
func others(t testing.TB) core.Settings {
	s := defaults(t)
	maps.Copy(s, familytest.Others())
	s["env_args.shield_reward"] = "absolute"
	return s
}

func TestConformance(t *testing.T) {
	t.Run("defaults", func(t *testing.T) { conform.Env(t, Plugin, defaults(t)) })
	t.Run("others", func(t *testing.T) { conform.Env(t, Plugin, others(t)) })
	t.Run("generated", func(t *testing.T) {
		s := defaults(t)
		s["env_args.generate"] = 2
		conform.Env(t, Plugin, s)
	})
}

func TestTasks(t *testing.T) {
	familytest.Tasks(t, Plugin, "2s1z_vs_3z 2s3z 3s5z 2s2z_vs_4s",
		"2s1z_vs_3z_change 2s3z_change 3s5z_change 2s2z_vs_4s_change 1s1z 1s2z 1s3z 2s1z 2s2z 2s4z 3s1z 3s2z 3s3z 3s4z "+
			"4s2z 4s3z 4s4z 2s2z_vs_4z 3s3z_vs_6s 4s4z_vs_8z")
}

// Sizes of the training tasks and the layout that attention networks are cut from.
func TestSpecs(t *testing.T) {
	layout := core.Entities{NonAttack: 6, Move: 4, OwnObs: 4, EnemyObs: 8, AllyObs: 8, EnemyState: 6, AllyState: 7}
	familytest.Specs(t, Plugin, &layout, map[string]familytest.Sizes{
		"2s1z_vs_3z": {3, 3, 9, 48, 66, 100}, "2s3z": {5, 5, 11, 80, 120, 120},
		"3s5z": {8, 8, 14, 128, 216, 100}, "2s2z_vs_4s": {4, 4, 10, 64, 92, 100}, "2s3z_change": {5, 5, 11, 80, 120, 120},
	})
}
