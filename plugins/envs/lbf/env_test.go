package lbf

import (
	"maps"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/conform"
)

func defaults(t testing.TB) core.Settings {
	t.Helper()
	return conform.Defaults(t, Plugin{}.Info())
}

// others are settings in which every key differs from its default.
func others(t testing.TB) core.Settings {
	s := defaults(t)
	maps.Copy(s, core.Settings{"env_args.time_limit": 7, "env_args.spawn_size": 3, "env_args.max_level": 3, "env_args.reward_scale": 2.0})
	return s
}

func open(t testing.TB, task string, lanes int, s core.Settings) (*env, *core.Frame) {
	t.Helper()
	e, err := Plugin{}.Open(task, lanes, s)
	if err != nil {
		t.Fatal(err)
	}
	return e.(*env), core.NewFrame(e.Spec(), lanes)
}

func TestConformance(t *testing.T) {
	t.Run("defaults", func(t *testing.T) { conform.Env(t, Plugin{}, defaults(t)) })
	t.Run("others", func(t *testing.T) { conform.Env(t, Plugin{}, others(t)) })
}

func TestTasks(t *testing.T) {
	l, err := Plugin{}.Tasks(defaults(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"topright", "right", "bottomright", "bottom", "bottomleft"}
	if !slices.Equal(l.Sequences["train"], want) || len(l.Sequences) != 1 {
		t.Errorf("sequences %v", l.Sequences)
	}
	if len(l.Generalization) != 20 {
		t.Errorf("%d generalisation tasks", len(l.Generalization))
	}
	if p := l.Params["6x6-right"]; !slices.Contains(p, core.Param{Name: "food", Value: "(3,5)"}) ||
		!slices.Contains(p, core.Param{Name: "start", Value: "(0,0) to (1,1)"}) {
		t.Errorf("6x6-right: %v", p)
	}
	for _, t2 := range slices.Concat(train, testOnly) {
		if max(t2.food.row, t2.food.col) < 3 {
			t.Errorf("%s: players may start on the food", t2.name)
		}
	}
}

func TestOriginalNames(t *testing.T) {
	for name, short := range map[string]string{
		"lbforaging:Foraging-5x5-2p-1f-coop-right-v1": "right",
		"Foraging-6x6-2p-1f-coop-bottomleft1-v1":      "6x6-bottomleft1",
		"bottom":                                      "bottom",
	} {
		if e, _ := open(t, name, 1, defaults(t)); e.Spec().Task != short {
			t.Errorf("%s is %s", name, e.Spec().Task)
		}
	}
	for _, name := range []string{"Foraging-7x7-2p-1f-coop-right-v1", "Foraging-5x5-2p-1f-coop-right-v2", "5x5-right", ""} {
		if _, err := (Plugin{}).Open(name, 1, defaults(t)); err == nil {
			t.Errorf("%q was opened", name)
		}
	}
}

// TestScaleSurvivesReset: a seed changes randomness and nothing else.
func TestScaleSurvivesReset(t *testing.T) {
	e, f := open(t, "topright", 1, others(t))
	for seed := range uint64(3) {
		if err := e.Reset([]int{0}, []uint64{seed}, f); err != nil {
			t.Fatal(err)
		}
		e.worlds[0].pos = [players]cell{{0, 3}, {1, 4}}
		if err := e.Step([]int{0}, []int32{0, 0}, f); err != nil {
			t.Fatal(err)
		}
		if f.Reward[0] != 2 || !f.Terminated[0] || !f.Won[0] {
			t.Errorf("seed %d: reward %v, terminated %v", seed, f.Reward[0], f.Terminated[0])
		}
	}
}

// TestLastStepCanWin: a food that is eaten in the last step ends the episode
// itself; the limit has no part in it.
func TestLastStepCanWin(t *testing.T) {
	e, f := open(t, "topright", 1, defaults(t))
	if err := e.Reset([]int{0}, []uint64{1}, f); err != nil {
		t.Fatal(err)
	}
	for k := range 25 {
		if k == 24 {
			e.worlds[0].pos = [players]cell{{0, 3}, {1, 4}}
		}
		if err := e.Step([]int{0}, []int32{0, 0}, f); err != nil {
			t.Fatal(err)
		}
	}
	if !f.Terminated[0] || f.Truncated[0] {
		t.Errorf("terminated %v, truncated %v", f.Terminated[0], f.Truncated[0])
	}
}
