package main

import (
	"strings"
	"testing"

	"macpro/core/report/read"
	"macpro/core/store"
)

// The sweeps that the pages name make the committed runs: their configurations, with the
// seeds, are those in the summaries. Every cell has one; on PP some methods were not run.
func TestSweepsMakeTheCommittedRuns(t *testing.T) {
	t.Parallel()
	for folder, sweep := range map[string]string{
		"lbf":        "paper_generalization --env lbf --seeds 21..25",
		"marines":    "paper_generalization --env marines --seeds 21..23",
		"plasticity": "plasticity",
		"pp":         "continual_zoo --env pp --seeds 21..25",
		"sz":         "paper_generalization --env sz --seeds 21..23 --set precision=bf16",
		"zoo":        "continual_zoo --env lbf",
	} {
		got := macpro(t, t.TempDir(), nil, append(words("sweep "+sweep), "--profile", "reduced", "--dry-run")...)
		if got.Code != exitOK {
			t.Fatalf("%s: %s", sweep, got.Stderr)
		}
		set, err := read.LoadSummaries(store.OS(), "../../results/"+folder)
		if err != nil || len(set.Runs) == 0 {
			t.Fatalf("results/%s has no summaries: %v", folder, err)
		}
		if cells := strings.Count(got.Stdout, " seed="); folder != "pp" && cells != len(set.Runs) {
			t.Errorf("macpro sweep %s has %d cells, results/%s %d runs", sweep, cells, folder, len(set.Runs))
		}
		for _, s := range set.Runs {
			if !strings.Contains(got.Stdout, " "+s.ConfigHash[:6]+" ") {
				t.Errorf("macpro sweep %s has no cell with the configuration of %s", sweep, s.ID)
			}
		}
	}
}
