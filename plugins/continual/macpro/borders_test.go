package macpro

import (
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/episode"
	"macpro/plugins/continual/internal/methodtest"
)

// eager finds borders all the time on mini's short runs.
var eager = []any{"border_window", 4, "border_interval", int64(8), "border_ratio", 0.5, "border_patience", 2, "border_spacing", int64(0)}

// A run that finds borders on the way hears of none, and goes on from every checkpoint:
// also from those between two tests of which the first has shown a border.
func TestConformanceWithBorders(t *testing.T) {
	for _, expansion := range []string{"always", "adaptive"} {
		conform.Method(t, Plugin, small(t, append([]any{"expansion", expansion, "context_min_groups", 1}, eager...)...),
			"info", "calls", "modes", "purity", "determinism", "resume", "damaged state")
	}
}

// hiddenRun is a run on mini's three tasks with hidden boundaries.
func hiddenRun(t *testing.T, changes ...any) (*conform.Record, core.MethodReport) {
	t.Helper()
	s := onMini(t, slices.Concat([]any{"boundaries", "hidden"}, eager, changes)...)
	rec, _, res := methodtest.Play(t, conform.MethodSubject{Plugin: Plugin, Env: mini.Env{}, Learner: mini.Learner{}, Settings: s})
	return rec, core.MethodReport{TaskHeads: res.TaskHeads, ContextSteps: int64(res.Heads)}
}

// At a border that it finds the method opens a head, and epsilon starts anew.
func TestBordersThatAreFound(t *testing.T) {
	rec, res := hiddenRun(t, "expansion", "always", "reset_epsilon", true)
	found := fields(t, rec, "border")
	decisions := fields(t, rec, "expansion")
	if len(found) < 3 || len(decisions) != len(found)+1 || int(res.ContextSteps) != len(decisions) {
		t.Fatalf("%d borders, %d decisions, %d heads", len(found), len(decisions), res.ContextSteps)
	}
	for i, row := range found {
		if row["found"] != true || row["number"] != float64(i+1) || row["t_env"] != decisions[i+1]["t_env"] {
			t.Errorf("border %d: %v, decision at %v", i, row, decisions[i+1]["t_env"])
		}
		if d := row["separation"].(float64); d <= 0.5 {
			t.Errorf("border %d: separation %v, border_ratio 0.5", i, d)
		}
		// 2W episodes of a task are needed for a test, each of two transitions or more.
		if i > 0 && row["t_env"].(int64)-found[i-1]["t_env"].(int64) < 2*2*4 {
			t.Errorf("borders %d and %d are too near", i-1, i)
		}
	}
	if len(res.TaskHeads) != 3 || res.TaskHeads[2] == 0 {
		t.Errorf("heads of tasks %v", res.TaskHeads)
	}
}

// Where the saved head plays as it did before, only the policy has changed, and there is
// no border. With a patience of 1 and border_ratio far above what noise gives there is
// either none, or one that was taken back, unless the saved head is far away as well.
func TestBordersThatAreTakenBack(t *testing.T) {
	rec, res := hiddenRun(t, "context_min_groups", 1, "border_ratio", 0.9, "border_patience", 1)
	found, back := 0, 0
	for _, row := range fields(t, rec, "border") {
		again, asked := row["played_again"].(float64)
		switch {
		case row["found"] == true && asked && again <= 0.9:
			t.Errorf("found, though it was played again: %v", row)
		case row["found"] == true:
			found++
		case !asked || again > 0.9:
			t.Errorf("taken back: %v", row)
		default:
			back++
		}
	}
	if decisions := len(fields(t, rec, "expansion")); back == 0 || decisions != found+1 || int(res.ContextSteps) > decisions {
		t.Errorf("%d borders taken back, %d found, %d decisions, %d heads", back, found, decisions, res.ContextSteps)
	}
}

// After the start and after a border there is no search for border_spacing transitions,
// by default while epsilon decays.
func TestSearchWaits(t *testing.T) {
	for _, c := range []struct{ spacing, want int64 }{{-1, 120}, {0, 0}, {200, 200}} {
		rec, _ := hiddenRun(t, "expansion", "always", "border_spacing", c.spacing)
		last := int64(0)
		rows := fields(t, rec, "border")
		for _, row := range rows {
			if at := row["t_env"].(int64); at-last < c.want {
				t.Errorf("border_spacing %d: borders at %d and %d", c.spacing, last, at)
			} else {
				last = at
			}
		}
		if len(rows) == 0 {
			t.Errorf("border_spacing %d: no border", c.spacing)
		}
	}
}

// With one head a border starts a new task for it. Without a limit there are as many
// heads as D' can hold batches of.
func TestHeadsOfBorders(t *testing.T) {
	rec, res := hiddenRun(t, "expansion", "never")
	if rows := fields(t, rec, "border"); len(rows) == 0 || rows[0]["found"] != true || res.ContextSteps != 1 {
		t.Errorf("expansion never: %d heads, borders %v", res.ContextSteps, rows)
	}
	if w := newWorld(t, "boundaries", "hidden", "context_buffer_size", 40); w.m.mostHeads() != 10 {
		t.Errorf("at most %d heads, D' has room for 10 batches", w.m.mostHeads())
	}
	if w := newWorld(t, "boundaries", "hidden", "max_heads", 3); w.m.mostHeads() != 3 {
		t.Errorf("at most %d heads, max_heads is 3", w.m.mostHeads())
	}
	if w := newWorld(t, "context_buffer_size", 40); w.m.mostHeads() != 0 {
		t.Error("told boundaries have a limit of their own")
	}
}

// Separations by hand. A set around (0, 0) has the covariance diag(1/2, 1/2), so S is 0.505
// times the identity. Where contexts spread more along a direction, a shift in it counts
// less.
func TestSeparation(t *testing.T) {
	around := func(x, y, w, h float32) [][]float32 {
		return [][]float32{{x - w, y}, {x + w, y}, {x, y - h}, {x, y + h}}
	}
	for _, c := range []struct {
		name string
		a, b [][]float32
		want float64
	}{
		{"the same", around(0, 0, 1, 1), around(0, 0, 1, 1), 0},
		{"shifted", around(0, 0, 1, 1), around(3, 4, 1, 1), 5 / math.Sqrt(0.505)},
		// S = diag(50, .5) + .01*25.25
		{"along the spread", around(0, 0, 10, 1), around(3, 0, 10, 1), 3 / math.Sqrt(50.2525)},
		{"across the spread", around(0, 0, 10, 1), around(0, 3, 10, 1), 3 / math.Sqrt(0.7525)},
		// diag(1/2, 1/2) and diag(2, 2): S = 1.25*1.01
		{"sets of other spreads", around(0, 0, 1, 1), around(2, 0, 2, 2), 2 / math.Sqrt(1.2625)},
		{"points", around(1, 1, 0, 0), around(1, 1, 0, 0), 0},
		{"other points", around(1, 1, 0, 0), around(1, 2, 0, 0), math.Inf(1)},
	} {
		if got := separation(c.a, c.b); !(math.Abs(got-c.want) < 1e-6) && got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	// Correlated: the shift (1, 1) lies along the spread, (1, -1) across it.
	line := func(x, y float32) [][]float32 {
		return [][]float32{{x - 2, y - 2}, {x + 2, y + 2}, {x - 1, y + 1}, {x + 1, y - 1}}
	}
	// S has the eigenvalues 4 and 1 plus .01*2.5.
	for _, c := range []struct {
		x, y float32
		want float64
	}{{1, 1, math.Sqrt(2 / 4.025)}, {1, -1, math.Sqrt(2 / 1.025)}} {
		if got := separation(line(0, 0), line(c.x, c.y)); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("shift (%v, %v) of correlated contexts: %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// Episodes join D' when W younger ones have come, with the task that they were
// collected in, and nothing is allocated for them.
func TestEpisodesWaitForD(t *testing.T) {
	w := newWorld(t, "boundaries", "hidden", "border_window", 3)
	b := w.m.borders
	e := &episode.Episode{T: 1, N: 1, A: 1, ObsWidth: 1, StateWidth: 1, Obs: make([]float32, 2), State: make([]float32, 2),
		Avail: []uint8{1, 1}, Actions: []int32{0}, Reward: []float32{0}}
	for i := range int64(9) {
		e.Index = i
		got := b.collect(e, 5)
		switch {
		case i < 3 && got != nil:
			t.Errorf("episode %d joins D' at once", got.Index)
		case i >= 3 && (got == nil || got.Index != i-3 || got.Task != 5):
			t.Errorf("after episode %d: %+v joins D', want number %d of task 5", i, got, i-3)
		}
	}
	if e.Task != 0 || b.known.Len() != 6 {
		t.Errorf("the episode is of task %d now, %d are in hand", e.Task, b.known.Len())
	}
	if n := testing.AllocsPerRun(50, func() { b.collect(e, 5) }); n != 0 {
		t.Errorf("%v allocations an episode", n)
	}
}

// A border shows after so many tests in a row above the ratio, and never by contexts that
// are no numbers.
func TestBordersShowTwice(t *testing.T) {
	b := &borders{cfg: &Config{BorderRatio: 3, BorderPatience: 2}}
	nan := math.NaN()
	for i, c := range []struct {
		apart float64
		want  bool
	}{{4, false}, {4, true}, {3, false}, {4, false}, {nan, false}, {nan, false}, {4, false}, {math.Inf(1), true}} {
		if got := b.shows(c.apart); got != c.want {
			t.Errorf("test %d, separation %v: %v, want %v", i, c.apart, got, c.want)
		}
	}
}

// What asks for environments of earlier tasks by name is refused.
func TestHiddenSettingsAreRefused(t *testing.T) {
	for key, value := range map[string]any{"latents": true, "gen_center_source": "rollout", "oracle_merged": "live"} {
		for _, hidden := range []bool{true, false} {
			s := onMini(t, key, value, "boundaries", map[bool]string{true: "hidden", false: "told"}[hidden])
			err := Plugin.Match(core.Pairing{Settings: s, Tasks: []core.EnvSpec{{}}})
			if refused := err != nil && strings.Contains(err.Error(), "boundaries hidden: "+key); refused != hidden {
				t.Errorf("%s %v, hidden %v: %v", key, value, hidden, err)
			}
		}
	}
}

// A state without episodes of borders is no state of a run with hidden boundaries, and
// a smaller window does not hold those of a larger one.
func TestStateOfBorders(t *testing.T) {
	told, hidden := newWorld(t), newWorld(t, "boundaries", "hidden", "border_window", 4)
	for _, w := range []*world{told, hidden} {
		w.begin("first")
		w.collect(10)
	}
	if err := hidden.m.Load(strings.NewReader(saved(t, told.m))); err == nil || !strings.Contains(err.Error(), "boundaries hidden") {
		t.Errorf("the state of a told run: %v", err)
	}
	fewer := newWorld(t, "boundaries", "hidden", "border_window", 2)
	fewer.begin("first")
	if err := fewer.m.Load(strings.NewReader(saved(t, hidden.m))); err == nil || !strings.Contains(err.Error(), "border_window") {
		t.Errorf("the state of a larger window: %v", err)
	}
}

func saved(t *testing.T, m *method) string {
	t.Helper()
	var b strings.Builder
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
