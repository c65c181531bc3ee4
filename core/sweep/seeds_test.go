package sweep

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Seeds may be listed in any of three places, and are never ignored.
func TestSeedsOfAGrid(t *testing.T) {
	s, err := Parse("x.yaml", []byte("grids: [{lr: [1], seed: [5, 6]}, {lr: [2]}]"), "smoke", "")
	if err != nil {
		t.Fatal(err)
	}
	points, _, err := s.Expand(Search{Strategy: "grid"})
	if err != nil {
		t.Fatal(err)
	}
	cells, _, err := Resolve(points, s.Seeds, planner)
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, c := range cells {
		got = append(got, c.Seed)
	}
	if !slices.Equal(got, []int64{5, 6, 1}) || !slices.Equal(cells[1].Sets, []string{"lr=1", "seed=6"}) {
		t.Errorf("seeds %v, sets %v", got, cells[1].Sets)
	}
	if _, _, err := s.Expand(Search{Strategy: "random", Trials: 1}); err == nil || !strings.Contains(err.Error(), "list the seeds") {
		t.Errorf("seeds were drawn: %v", err)
	}
	a, err := ParseAxis("seed=5,6")
	if err != nil {
		t.Fatal(err)
	}
	flags := Spec{Seeds: []int64{1}, Grids: []Grid{{{Key: "lr", Values: []string{"1"}}}}}
	if err := flags.Vary(a); err != nil || !slices.Equal(flags.Seeds, []int64{5, 6}) || len(flags.Grids[0]) != 1 {
		t.Errorf("%v %v", flags, err)
	}
	if err := s.Vary(a); err == nil {
		t.Error("seed is varied twice")
	}
	if err := flags.Override([]string{"seed=7"}); err == nil || !strings.Contains(err.Error(), "--seeds") {
		t.Errorf("--set seed=7: %v", err)
	}
}

func TestSeedsThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"seeds: 1..2\ngrids: [{seed: [5]}]": "grid 1 varies seed while seeds are listed",
		"grids: [{seed: [a]}]":              `grid 1: seeds "a"`,
		"grids: [{seed: [1, 1]}]":           "listed twice",
	} {
		if _, err := Parse("x.yaml", []byte(text), "smoke", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Parse("x.yaml", []byte("grids: [{seed: [5]}]"), "smoke", "1..3"); err == nil {
		t.Error("--seeds beside an axis of seeds")
	}
	if err := (&Spec{}).Vary(Axis{Key: "seed", Draw: &Distribution{Low: 1, High: 2}}); err == nil {
		t.Error("seeds were drawn")
	}
}

func TestParseSeeds(t *testing.T) {
	for text, want := range map[string]string{
		"1..1001": "1001", "1..1e3": "1000", "5": "1", "[1, 2, 1_000]": "3", "-2..2": "5",
		"010": `starts with a zero, which some programs read as octal; write "10"`, "1,010": "octal",
		"1..200000": "more than 100000 seeds", "-9e18..9e18": "more than 100000 seeds", "5..1": "ends before it begins",
		"1..x": `"x" is not a whole number`, "1.5": "not a whole number", "1,1": "listed twice", "": "not a whole number",
	} {
		seeds, err := ParseSeeds(text)
		switch {
		case err == nil && strconv.Itoa(len(seeds)) != want:
			t.Errorf("%q has %d seeds, want %s", text, len(seeds), want)
		case err != nil && !strings.Contains(err.Error(), want):
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Parse("x.yaml", []byte("seeds: 010"), "smoke", ""); err == nil || !strings.Contains(err.Error(), "octal") {
		t.Errorf("seeds: 010: %v", err)
	}
}
