package rank

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
	ranks, err := Configurations(&set, "final_average", "")
	got := ""
	for _, r := range ranks {
		got += r.Group
	}
	if err != nil || got != "dbcae" {
		t.Errorf("%s, want dbcae: %v", got, err)
	}
}

// A configuration whose run has diverged is never ranked before an equal one that
// has not, however many runs it has.
func TestRankPutsDivergedRunsLast(t *testing.T) {
	var set read.Set
	add := func(group string, seed int, status record.Status) {
		s := &read.Summary{ID: fmt.Sprint(group, seed), GroupHash: group, ConfigHash: fmt.Sprint(group, seed), Status: status,
			Modes: []string{"m"}, Starts: []int64{0}, Curves: map[string][]metrics.Curve{"m": {{{T: 0, Score: 0}}}}}
		set.Runs = append(set.Runs, s)
	}
	add("a", 0, record.Diverged)
	add("a", 1, record.Done)
	add("b", 0, record.Done)
	ranks, err := Configurations(&set, "average", "")
	if err != nil || len(ranks) != 2 || ranks[0].Group != "b" {
		t.Errorf("%+v, %v", ranks, err)
	}
}
