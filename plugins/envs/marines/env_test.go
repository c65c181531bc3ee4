package marines

import (
	"maps"
	"regexp"
	"strings"
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
	return s
}

func TestConformance(t *testing.T) {
	t.Run("defaults", func(t *testing.T) { conform.Env(t, Plugin, defaults(t)) })
	t.Run("others", func(t *testing.T) { conform.Env(t, Plugin, others(t)) })
}

func TestTasks(t *testing.T) {
	familytest.Tasks(t, Plugin, "5m_vs_6m 13m 4m 8m_vs_9m",
		"5m_vs_6m_change 13m_change 4m_change 8m_vs_9m_change 3m 5m 6m 7m 8m 9m 10m 11m 12m "+
			"4m_vs_5m 6m_vs_7m 7m_vs_8m 9m_vs_10m 10m_vs_11m 11m_vs_12m 12m_vs_13m")
}

// Sizes of the training tasks and the layout that attention networks are cut from.
func TestSpecs(t *testing.T) {
	layout := core.Entities{NonAttack: 6, Move: 4, OwnObs: 1, EnemyObs: 5, AllyObs: 5, EnemyState: 3, AllyState: 4}
	familytest.Specs(t, Plugin, &layout, map[string]familytest.Sizes{
		"5m_vs_6m": {5, 6, 12, 55, 98, 70}, "13m": {13, 13, 19, 130, 338, 150},
		"4m": {4, 4, 10, 40, 68, 70}, "8m_vs_9m": {8, 9, 15, 85, 179, 70}, "8m_vs_9m_change": {8, 9, 15, 85, 179, 70},
	})
}

// Only the trained maps have a variant, and settings must leave it some sight.
func TestVariants(t *testing.T) {
	for _, task := range []string{"3m_change", "5m_vs_6m_", "_change", "2s3z", "13m_change_change"} {
		if _, err := (Plugin).Open(task, 1, defaults(t)); err == nil {
			t.Errorf("%q was opened", task)
		}
	}
	s := defaults(t)
	s["env_args.shoot"] = 1.0
	if _, err := (Plugin).Open("4m_change", 1, s); err == nil || !strings.Contains(err.Error(), "env_args.shoot 1") {
		t.Errorf("a variant without range: %v", err)
	}
	if _, err := (Plugin).Open("4m", 1, s); err != nil {
		t.Error(err)
	}
}

// An order that is out of bounds is refused with the reason.
func TestUnavailable(t *testing.T) {
	e, err := Plugin.Open("3m", 2, defaults(t))
	if err != nil {
		t.Fatal(err)
	}
	f := core.NewFrame(e.Spec(), 2)
	if err := e.Reset([]int{1}, []uint64{1}, f); err != nil {
		t.Fatal(err)
	}
	err = e.Step([]int{1}, []int32{0, 0, 0, 1, 7, 1}, f)
	want := regexp.MustCompile(`^marines 3m: lane 1, agent 1: action 7 is not available: enemy 1 is \d+\.\d\d cells away, and the range of orders is 6$`)
	if err == nil || !want.MatchString(err.Error()) {
		t.Errorf("got %v", err)
	}
	if err := e.Step([]int{1}, []int32{0, 0, 0, 0, 1, 1}, f); err == nil || !regexp.MustCompile("agent 0: action 0 is not available$").MatchString(err.Error()) {
		t.Errorf("a living agent that does nothing: %v", err)
	}
}
