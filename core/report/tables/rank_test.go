package tables

import (
	"fmt"
	"testing"

	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/report/read"
)

// Of configurations with the same score the one with more runs comes first.
func TestRankPrefersMoreRuns(t *testing.T) {
	var set read.Set
	add := func(group string, scores ...float64) {
		for i, x := range scores {
			s := &read.Summary{}
			s.ID, s.GroupHash, s.ConfigHash, s.Status = fmt.Sprint(group, i), group, fmt.Sprint(group, i), record.Done
			s.Modes, s.Metrics = []string{"m"}, map[string]metrics.Summary{"m": {FinalAverage: metrics.Number(x)}}
			set.Runs = append(set.Runs, s)
		}
	}
	add("a", 0.5)
	add("b", 0.5, 0.5, 0.5)
	add("c", 0.5, 0.5)
	add("d", 0.9)
	add("e", 0.1, 0.1, 0.1, 0.1)
	ranks, err := Rank(&set, "final_average", "")
	got := ""
	for _, r := range ranks {
		got += r.Group
	}
	if err != nil || got != "dbcae" {
		t.Errorf("%s, want dbcae: %v", got, err)
	}
}
