package pp

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
)

func defaults(t testing.TB) core.Settings {
	t.Helper()
	return conform.Defaults(t, Plugin{}.Info())
}

// asOfficial are the settings under which the recordings were made.
func asOfficial(t testing.TB) core.Settings {
	s := defaults(t)
	for _, key := range []string{"env_args.prey_nearest", "env_args.pp_flash_variant", "env_args.landmark_shift"} {
		s[key] = official
	}
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
	others := asOfficial(t)
	maps.Copy(others, core.Settings{"env_args.time_limit": 7, "env_args.reward_scale": 2.0})
	t.Run("others", func(t *testing.T) { conform.Env(t, Plugin{}, others) })
}

func TestTasks(t *testing.T) {
	l, err := Plugin{}.Tasks(defaults(t))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"train": "heuristic fix-frozen bull-bull flash-random",
		"pp10":  "heuristic fix-frozen heuristic1 bull-bull fix-frozen1 flash-random bull-bull1 heuristic2 flash-random1 fix-frozen2",
	}
	for name, seq := range want {
		if got := strings.Join(l.Sequences[name], " "); got != seq {
			t.Errorf("sequence %s is %s", name, got)
		}
	}
	if len(l.Sequences) != len(want) || len(l.Generalization) != 20 {
		t.Errorf("%d sequences, %d generalisation tasks", len(l.Sequences), len(l.Generalization))
	}
	for _, p := range []core.Param{
		{Name: "prey", Value: "stays"}, {Name: "landmark size", Value: "-0.01"},
		{Name: "start of prey", Value: "(1.59, 0)"}, {Name: "start of predator 2", Value: "[-0.8,0.8]x[-0.8,0.8]"},
	} {
		if !slices.Contains(l.Params["fix-frozen2"], p) {
			t.Errorf("fix-frozen2 lacks %v: %v", p, l.Params["fix-frozen2"])
		}
	}
}

func TestOriginalNames(t *testing.T) {
	for _, name := range []string{"mpe:SimpleTag-bull-bull3-v0", "SimpleTag-bull-bull3-v0", "bull-bull3"} {
		if e, _ := open(t, name, 1, defaults(t)); e.Spec().Task != "bull-bull3" {
			t.Errorf("%s is %s", name, e.Spec().Task)
		}
	}
	for _, name := range []string{"bull-bull6", "mpe:bull-bull3", "heuristic0", "bull-bull3-v0", ""} {
		if _, err := (Plugin{}).Open(name, 1, defaults(t)); err == nil {
			t.Errorf("%q was opened", name)
		}
	}
}

// TestReadingsOfVariants: what the two keys about variants change, and what not.
func TestReadingsOfVariants(t *testing.T) {
	for _, c := range []struct {
		settings core.Settings
		want     string
	}{
		{defaults(t), "0.14 3.01 1.01 0.06 9.01 3.01 0.01 (-1.29, -0.34) (-1.29, 0.36) [-0.5,0.5]x[1,1.5] [-0.5,0.5]x[-0.5,0.5]"},
		{asOfficial(t), "0.13 3.01 1.01 0.06 15.01 12.01 0 (-1.27, -0.32) (-1.27, 0.38) [-1,1]x[-1,1] [-0.7,0.7]x[-0.7,0.7]"},
	} {
		l, err := Plugin{}.Tasks(c.settings)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range l.Params["flash-random1"] {
			switch p.Name {
			case "prey", "predators for a capture", "start of predator 1", "start of predator 2", "limit", "reward":
			default:
				got = append(got, p.Value)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("got  %s\nwant %s", s, c.want)
		}
	}
	for _, kind := range kinds {
		a, b := variant(kind, 0, Config{}), variant(kind, 0, Config{FlashVariant: official, LandmarkShift: official})
		if a != b {
			t.Errorf("%s itself has two readings", kind)
		}
	}
}

// TestCapturePaysOnce: three predators on the prey pay what one does, a reset
// with another seed keeps the scale, and a capture in the last step is an end of
// its own.
func TestCapturePaysOnce(t *testing.T) {
	s := defaults(t)
	s["env_args.reward_scale"] = 2.0
	e, f := open(t, "fix-frozen", 1, s)
	for _, last := range []int{0, 24} {
		if err := e.Reset([]int{0}, []uint64{3}, f); err != nil {
			t.Fatal(err)
		}
		for k := range last + 1 {
			if k == last {
				e.worlds[0].pos = [bodies]vec{{1.5, 0}, {1.6, 0.1}, {1.6, -0.1}, {1.6, 0}}
				e.worlds[0].vel = [bodies]vec{}
			}
			if err := e.Step([]int{0}, []int32{1, 4, 3}, f); err != nil {
				t.Fatal(err)
			}
		}
		if f.Reward[0] != 2 || !f.Terminated[0] || f.Truncated[0] || !f.Won[0] {
			t.Errorf("step %d: reward %v, terminated %v, truncated %v", last, f.Reward[0], f.Terminated[0], f.Truncated[0])
		}
	}
}

// TestBullNeedsTwo: one predator at the prey of bull-bull is not enough.
func TestBullNeedsTwo(t *testing.T) {
	e, _ := open(t, "bull-bull", 1, defaults(t))
	w := world{pos: [bodies]vec{{0, 0.1}, {3, 3}, {3, -3}, {0, 0}}}
	if e.rules.caught(&w) {
		t.Error("one was enough")
	}
	w.pos[2] = vec{0.1, 0}
	if !e.rules.caught(&w) {
		t.Error("two were not enough")
	}
	w.pos[2] = vec{e.rules.captured, 0}
	if e.rules.caught(&w) {
		t.Error("a distance of exactly the sizes counts as contact")
	}
}
