package lbf

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"macpro/core/conform"
	"macpro/core/rng"
)

func winRate(t *testing.T, task string, lanes, rounds int, p conform.Policy) float64 {
	t.Helper()
	e, _ := open(t, task, lanes, defaults(t))
	rate, err := conform.WinRate(e, lanes, rounds, 81, p)
	if err != nil {
		t.Fatal(err)
	}
	return rate
}

func uniform(_ int, _ []float32, avail []uint8, draw *rng.Stream) int32 {
	return int32(draw.Intn(len(avail)))
}

func always(action int32) conform.Policy {
	return func(int, []float32, []uint8, *rng.Stream) int32 { return action }
}

// TestRandomPair: how often two uniformly random players eat the food.
func TestRandomPair(t *testing.T) {
	for task, want := range map[string]float64{
		"topright": .028, "right": .047, "bottomright": .009, "bottom": .045, "bottomleft": .028,
	} {
		got := winRate(t, task, 100, 200, uniform)
		if err := conform.Near(got, 20000, want, 20000, .001); err != nil {
			t.Errorf("%s: %v", task, err)
		}
	}
}

// TestConstantPair: always going east solves topright unless the players start
// in one row, always going south bottomleft unless in one column: 2/3. Neither
// ever solves another task.
func TestConstantPair(t *testing.T) {
	const east, south, n = 4, 2, 20000
	for _, c := range []struct {
		task   string
		action int32
	}{{"topright", east}, {"bottomleft", south}} {
		if err := conform.Near(winRate(t, c.task, 100, n/100, always(c.action)), n, 2./3, 1e9, 0); err != nil {
			t.Errorf("%s: %v", c.task, err)
		}
	}
	for _, task := range []string{"right", "bottomright", "bottom"} {
		for action := range int32(actions) {
			if got := winRate(t, task, 100, 10, always(action)); got != 0 {
				t.Errorf("%s: action %d alone wins %v", task, action, got)
			}
		}
	}
}

// TestStartsAreThoseOfTheOriginal compares 20000 starts with as many recorded
// resets of the original environment, which were made without steps between
// them, so that its memory of the last positions hardly shows.
func TestStartsAreThoseOfTheOriginal(t *testing.T) {
	data, err := os.ReadFile("testdata/lbf_spawn_stats.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		N      uint64         `json:"n_resets"`
		Places map[string]int `json:"players_pos_counts"`
		Levels map[string]int `json:"levels_counts"`
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	places, levels := map[string]int{}, map[string]int{}
	e, _ := open(t, "topright", 1, defaults(t))
	for seed := range want.N {
		w := spawn(e.task, e.cfg, seed)
		a, b := w.pos[0], w.pos[1]
		places[fmt.Sprintf("[[%d, %d], [%d, %d]]", a.row, a.col, b.row, b.col)]++
		levels[fmt.Sprintf("[%d, %d]", w.level[0], w.level[1])]++
	}
	// Chi-square of two samples of one size; bounds at p = 0.001.
	if x := chiSquare(t, places, want.Places); x > 31.3 { // 11 degrees of freedom
		t.Errorf("places: chi-square %.1f: %v, want %v", x, places, want.Places)
	}
	if x := chiSquare(t, levels, want.Levels); x > 16.3 { // 3 degrees of freedom
		t.Errorf("levels: chi-square %.1f: %v, want %v", x, levels, want.Levels)
	}
}

func chiSquare(t *testing.T, got, want map[string]int) float64 {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d kinds, want %d: %v", len(got), len(want), got)
	}
	x := 0.0
	for k, b := range want {
		a := got[k]
		x += float64((a-b)*(a-b)) / float64(a+b)
	}
	return x
}
