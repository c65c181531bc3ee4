package tables

import (
	"strings"
	"testing"

	"macpro/core/report/internal/study"
)

// What is known of some runs only is missing of the others; what no run has is left out.
func TestCostTable(t *testing.T) {
	set := study.Small()
	lines := func() (out []string) {
		table := build(t, "cost", set, Options{Env: "lbf"})[0]
		for _, r := range table.Rows {
			cells := r.Labels
			for i, c := range r.Cells {
				cells = append(cells, table.Columns[i].Name+" "+table.Text(c))
			}
			out = append(out, strings.Join(cells, ", "))
		}
		return out
	}
	for _, s := range set.Runs {
		if s.Alg == "macpro" {
			s.MethodSteps = map[string]int64{"probe": 4000, "identify": 500 * s.Seed}
		}
	}
	if got := strings.Join(lines(), "; "); got != "Finetuning, asked 0.00 ± 0.00; MACPro, asked 5.00 ± 0.41" {
		t.Error(got)
	}
	for _, s := range set.Runs {
		if s.Alg == "macpro" {
			s.Bytes = map[string]int64{"run": 9, "learner": 1_480_000, "method": 6_000_000 + 100_000*s.Seed}
		}
	}
	want := "Finetuning, learner MB missing, method MB missing, asked 0.00 ± 0.00; " +
		"MACPro, learner MB 1.48 ± 0.00, method MB 6.20 ± 0.08, asked 5.00 ± 0.41"
	if got := strings.Join(lines(), "; "); got != want {
		t.Error(got)
	}
}
