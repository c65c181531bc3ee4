package main

import (
	"strings"
	"testing"

	"macpro/core/metrics"
	"macpro/core/report/rank"
	"macpro/core/report/read"
	"macpro/core/store"
	"macpro/core/sweep"
)

// The printed command runs as it stands.
func TestSweepBestCommand(t *testing.T) {
	c := &sweep.Cell{Seed: 3, Sets: []string{"alg=ewc", "tasks=[a, b]", "note=it's", "profile=smoke", "seed=3"}}
	// A value that no screen shows is spelt out in a form that bash reads back.
	odd := &sweep.Cell{Seed: 1, Sets: []string{"alg=ewc", "env=a b", "note=\x1b[31m\\x'"}}
	if got, want := bestCommand(odd), `macpro run --alg ewc --env 'a b' --set $'note=\x1b[31m\\x\'' --seed 1`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want := `macpro run --alg ewc --set 'tasks=[a, b]' --set 'note=it'\''s' --profile smoke --seed 3`
	if got := bestCommand(c); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A search lists all of its configurations; what has no result says why.
func TestBestOfASearch(t *testing.T) {
	var cells []sweep.Resolved
	for i, lr := range []string{"0.1", "0.2", "0.3", "0.4"} {
		for seed := range 2 {
			c := sweep.Cell{Alg: "ewc", GroupHash: lr, Seed: int64(seed), Steps: 1000, Sets: []string{"alg=ewc", "lr=" + lr}}
			c.ID = string(rune('a'+i)) + string(rune('a'+seed)) + "0000000000"
			cells = append(cells, sweep.Resolved{Cell: c})
		}
	}
	root := t.TempDir()
	s, err := sweep.Create(store.OS(), root, sweep.Plan{ID: "x", Search: sweep.Search{Strategy: "asha", Eta: 2, First: 100}}, cells, nil)
	if err != nil {
		t.Fatal(err)
	}
	put := func(c *sweep.Cell, text string) {
		t.Helper()
		if err := store.WriteFile(s.FS, s.Path("cells", c.ID, "cell.json"), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range s.Cells {
		put(c, []string{
			`{"status": "done", "rungs": {"100": 0.4, "200": 0.5, "400": 0.6, "800": 0.7}}`,
			`{"status": "pruned", "rungs": {"100": 0.3}}`,
			`{"status": "pruned", "rungs": {"100": 0.9, "200": null}}`,
			`{"status": "failed", "error": "no space"}`,
		}[i/2])
	}
	put(s.Cells[7], `{"status": "diverged"}`)
	if s, err = sweep.Open(store.OS(), root, "x"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range newBest(s).table([]rank.Configuration{{Group: "0.1", Values: []float64{0.7, 0.7}, Mean: 0.7, Steps: 1000}}, "final_average", 9) {
		got = append(got, strings.Join(row, "|"))
	}
	want := []string{
		"configuration|seeds|final_average|95 % interval|steps|rung|score there|seeds without a result",
		"lr=0.1|2|0.700 ± 0.000|[0.000, 0.000]|1000|800|0.700|",
		"lr=0.3|0||||200|no test yet|",
		"lr=0.2|0||||100|0.300|",
		"lr=0.4|0||||-||0 failed, 1 diverged",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if x := metrics.Number(0.5); s.State(s.Cells[0]).Rungs[200] != x {
		t.Errorf("%v", s.State(s.Cells[0]))
	}
}

// Configurations that tie are not called the best.
func TestTiesOfARanking(t *testing.T) {
	for _, test := range []struct {
		means []float64
		want  string
	}{
		{[]float64{0.5}, "the best"},
		{[]float64{0.5, 0.25, 0.25}, "the best"},
		{[]float64{0.3, 0.1 + 0.2, 0.1}, "no best one: 2 configurations tie with bwt 0.300; the first of them"},
		{[]float64{0, 0, 0}, "no best one: 3 configurations tie with bwt 0.000; the first of them"},
	} {
		var ranks []rank.Configuration
		for _, m := range test.means {
			ranks = append(ranks, rank.Configuration{Mean: m})
		}
		if got := bestOf(ranks, "bwt"); got != test.want {
			t.Errorf("%v: %q, want %q", test.means, got, test.want)
		}
	}
}

// A mode that no run has is named as such, with those that there are.
func TestModeOfARanking(t *testing.T) {
	set := &read.Set{Runs: []*read.Summary{{Modes: []string{"ctde", "ctce"}}, {Modes: []string{"single"}}}}
	for mode, want := range map[string]string{"": "", "ctce": "", "single": "", "ctd": `unknown test mode "ctd", did you mean "ctde"? (known: ctde, ctce, single)`} {
		if err := knownMode(set, mode); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q: %v, want %q", mode, err, want)
		}
	}
	if err := knownMode(&read.Set{}, "ctde"); err != nil {
		t.Errorf("without runs: %v", err)
	}
}
