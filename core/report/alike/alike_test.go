package alike

import (
	"slices"
	"strings"
	"testing"

	"macpro/core/report/internal/study"
	"macpro/core/report/read"
	"macpro/core/store"
)

// Runs are averaged if nothing but the seed differs; else the keys are named.
func TestAveraged(t *testing.T) {
	made := func(alg string, seed int64, key, value string) *read.Summary {
		s := study.Made(alg, "lbf", seed, map[string][]float64{"single": {1, 1}})
		study.With(s, key, value)
		return s
	}
	for _, c := range []struct {
		other    *read.Summary
		reason   string
		settings bool
	}{
		{made("ewc", 2, "lr", "0.1"), "", false},
		{made("ewc", 2, "lr", "0.2"), "row: runs ewc-lbf-s1-lr0.1 and ewc-lbf-s2-lr0.2 differ in lr (0.1 and 0.2)", true},
		{made("l2", 2, "lr", "0.1"), "row: runs ewc-lbf-s1-lr0.1 and l2-lbf-s2-lr0.1 differ in alg (ewc and l2)", false},
		{made("ewc", 1, "lr", "0.1"), "row: runs ewc-lbf-s1-lr0.1 and ewc-lbf-s1-lr0.1 have the same seed 1", false},
	} {
		got := Averaged("row", []*read.Summary{made("ewc", 1, "lr", "0.1"), c.other})
		if got != (Difference{c.reason, c.settings}) {
			t.Errorf("%+v, want %q, %v", got, c.reason, c.settings)
		}
	}
}

// Runs of one table agree in profile, compat, versions and the tasks' constants.
func TestCompared(t *testing.T) {
	for want, change := range map[string]func(*read.Summary){
		"":                 func(*read.Summary) {},
		"profile: ":        func(s *read.Summary) { s.Settings["profile"] = "paper" },
		"compat: ":         func(s *read.Summary) { s.Settings["compat"] = "official" },
		"version of macp":  func(s *read.Summary) { s.Versions.Macpro = "0.2.0" },
		"constants of the": func(s *read.Summary) { s.EnvHash = "f" },
		"method ewc has c": func(s *read.Summary) { s.Versions.Plugins[0].Version = "2" },
	} {
		var runs []*read.Summary
		for seed := range int64(2) {
			s := study.Made("ewc", "lbf", seed, map[string][]float64{"single": {1, 1}})
			s.Versions.Plugins = []store.PluginVersion{{Kind: "method", Name: "ewc", Version: "1"}}
			runs = append(runs, s)
		}
		change(runs[1])
		got := Compared(runs)
		if len(got) != len(want[:min(len(want), 1)]) || want != "" && !strings.HasPrefix(got[0].Reason, want) {
			t.Errorf("%v, want %q", got, want)
		}
	}
	if err := Refuse([]Difference{{"a", true}, {"b", false}}).(*Error); err.Grid || err.Error() != "these runs must not be mixed:\n  a\n  b" {
		t.Error(err.Grid, err)
	}
}

// Varied keys are those in which runs differ, the seed apart.
func TestVaried(t *testing.T) {
	var runs []*read.Summary
	for seed, lr := range []string{"0.1", "0.2", "0.1"} {
		s := study.Made("ewc", "lbf", int64(seed), map[string][]float64{"single": {1, 1}})
		study.With(s, "lr", lr)
		runs = append(runs, s)
	}
	if got := Varied(runs); !slices.Equal(got, []string{"lr"}) {
		t.Error(got)
	}
	runs[2].Settings["younger"] = "1" // of the configuration of the first
	if got := Varied([]*read.Summary{runs[0], runs[2]}); len(got) > 0 {
		t.Errorf("runs of one configuration differ in %v", got)
	}
}

// A run is called by what tells it from the others.
func TestNamesSayWhatDiffers(t *testing.T) {
	lib := study.Library(t)
	runs := []*read.Summary{
		study.Made("macpro", "lbf", 1, map[string][]float64{"ctde": {1, 1}}),
		study.Made("macpro", "lbf", 1, map[string][]float64{"ctde": {1, 1}}),
		study.Made("macpro", "lbf", 2, map[string][]float64{"ctde": {1, 1}}),
		study.Made("ewc", "lbf", 1, map[string][]float64{"single": {1, 1}}),
	}
	runs[1].Ablation = "without_oracle"
	runs[1].Settings["ablation"] = "without_oracle"
	study.With(runs[2], "lr", "0.01")
	study.With(runs[0], "lr", "0.001")
	for _, s := range runs {
		s.Settings["steps_per_task"], s.Overridden = "500", []string{"steps_per_task"}
	}
	want := []string{"MACPro, lr=0.001, seed 1", "MACPro, W/o oracle, seed 1", "MACPro, lr=0.01, seed 2", "EWC, seed 1"}
	called := Names(lib, runs)
	for i, s := range runs {
		if got := called[s].Text(); got != want[i] {
			t.Errorf("run %d is called %q, want %q", i, got, want[i])
		}
	}
	runs[3].Settings["steps_per_task"] = "700"
	if got := Names(lib, runs)[runs[3]].Text(); got != "EWC, steps_per_task=700, seed 1" {
		t.Errorf("a run with a key of its own is called %q", got)
	}
}
