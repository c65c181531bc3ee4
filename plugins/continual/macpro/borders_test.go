package macpro

import (
	"math"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/episode"
	"macpro/plugins/continual/internal/methodtest"
)

// eager finds borders all the time on mini's short runs.
var eager = []any{"border_window", 4, "border_interval", int64(8), "border_ratio", 0.3, "border_patience", 2}

// A run that finds borders on the way hears of none, and goes on from every checkpoint:
// also from those between two tests of which the first has shown a border.
func TestConformanceWithBorders(t *testing.T) {
	for _, expansion := range []string{"always", "adaptive"} {
		conform.Method(t, Plugin{}, small(t, append([]any{"expansion", expansion, "context_min_groups", 1}, eager...)...),
			"info", "calls", "modes", "purity", "determinism", "resume", "damaged state")
	}
}

// hiddenRun is a run on mini's three tasks with hidden boundaries.
func hiddenRun(t *testing.T, changes ...any) (*conform.Record, core.MethodReport) {
	t.Helper()
	s := mini.Settings("boundaries", "hidden")
	for k, v := range small(t, append(append([]any{}, eager...), changes...)...) {
		s[k] = v
	}
	rec, _, res := methodtest.Play(t, conform.MethodSubject{Plugin: Plugin{}, Env: mini.Env{}, Learner: mini.Learner{}, Settings: s})
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
		if d, r := row["distance"].(float64), row["radius"].(float64); d <= 0.3*r {
			t.Errorf("border %d: distance %v, radius %v, border_ratio 0.3", i, d, r)
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

// A border that the expansion test puts into the group in training is none: the head
// goes on.
func TestExpansionTestTakesBordersBack(t *testing.T) {
	rec, res := hiddenRun(t, "context_min_groups", 1, "lambda_new", 1e9)
	rows := fields(t, rec, "border")
	if len(rows) == 0 || len(fields(t, rec, "expansion")) != 1 || res.ContextSteps != 1 {
		t.Fatalf("%d borders, %d decisions, %d heads", len(rows), len(fields(t, rec, "expansion")), res.ContextSteps)
	}
	for _, row := range rows {
		if row["found"] != false || row["number"] != 0.0 {
			t.Errorf("%v", row)
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

// The distance and the radius of a test, by hand: halves around (0, 0) and (3, 4) with
// radii 1 and 2.
func TestHalves(t *testing.T) {
	distance, radius := halves([][]float32{{1, 0}, {-1, 0}, {5, 4}, {1, 4}})
	if math.Abs(distance-5) > 1e-12 || math.Abs(radius-2) > 1e-12 {
		t.Errorf("distance %v, radius %v, want 5 and 2", distance, radius)
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

// What asks for environments of earlier tasks by name is refused.
func TestHiddenSettingsAreRefused(t *testing.T) {
	for key, value := range map[string]any{"latents": true, "gen_center_source": "rollout", "oracle_merged": "live"} {
		for _, hidden := range []bool{true, false} {
			s := mini.Settings("boundaries", "told")
			if hidden {
				s["boundaries"] = "hidden"
			}
			for k, v := range small(t, key, value) {
				s[k] = v
			}
			err := Plugin{}.Match(core.Pairing{Settings: s, Tasks: []core.EnvSpec{{}}})
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
