package sz

import (
	"maps"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
)

func defaults(t testing.TB) core.Settings {
	t.Helper()
	return conform.Defaults(t, Plugin.Info())
}

// others are settings in which every key differs from its default.
func others(t testing.TB) core.Settings {
	s := defaults(t)
	maps.Copy(s, core.Settings{
		"env_args.profile": "smaclite", "env_args.conventions": "smaclite", "env_args.shield_reward": "absolute",
		"env_args.sight": 7.0, "env_args.shoot": 4.5,
		"env_args.damage_point": false, "env_args.missiles": false, "env_args.call_for_help": false,
		"env_args.answer_attackers": false, "env_args.sidestep": false,
		"env_args.zealot_separation": 0.5, "env_args.spawn_noise": 0.1,
	})
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
	l, err := Plugin.Tasks(defaults(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(l.Sequences["train"], " "); got != "2s1z_vs_3z 2s3z 3s5z 2s2z_vs_4s" {
		t.Errorf("train: %s", got)
	}
	want := "2s1z_vs_3z_change 2s3z_change 3s5z_change 2s2z_vs_4s_change 1s1z 1s2z 1s3z 2s1z 2s2z 2s4z 3s1z 3s2z 3s3z 3s4z " +
		"4s2z 4s3z 4s4z 2s2z_vs_4z 3s3z_vs_6s 4s4z_vs_8z"
	if got := strings.Join(l.Generalization, " "); got != want {
		t.Errorf("generalisation: %s", got)
	}
}

// Sizes of the training tasks and the layout that attention networks are cut from.
func TestSpecs(t *testing.T) {
	layout := core.Entities{NonAttack: 6, Move: 4, OwnObs: 4, EnemyObs: 8, AllyObs: 8, EnemyState: 6, AllyState: 7}
	for task, want := range map[string][6]int{ // n, m, actions, observation, state, limit
		"2s1z_vs_3z": {3, 3, 9, 48, 66, 100}, "2s3z": {5, 5, 11, 80, 120, 120},
		"3s5z": {8, 8, 14, 128, 216, 100}, "2s2z_vs_4s": {4, 4, 10, 64, 92, 100}, "2s3z_change": {5, 5, 11, 80, 120, 120},
	} {
		e, err := Plugin.Open(task, 1, defaults(t))
		if err != nil {
			t.Fatal(err)
		}
		s := e.Spec()
		if got := [6]int{s.Agents, s.Entities.Enemies, s.Actions, s.ObsWidth, s.StateWidth, s.Limit}; got != want {
			t.Errorf("%s: %v, want %v", task, got, want)
		}
		layout.Enemies = want[1]
		if *s.Entities != layout {
			t.Errorf("%s: %+v, want %+v", task, *s.Entities, layout)
		}
	}
}
