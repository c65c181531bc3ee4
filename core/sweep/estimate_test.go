package sweep

import (
	"testing"

	"macpro/core/record"
)

// An estimate counts the episodes of evaluations, also of cells that are trained.
func TestEstimateCountsEvaluations(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1, 2)
	s.Evaluate = []Evaluate{{Name: "a"}, {Name: "b"}}
	for _, c := range s.Cells {
		c.Tests = []int64{100, 7}
	}
	e := s.Estimate(Speeds{kindOf{}: 100}, 1)
	if e.Episodes != 214 || e.Open != 2 || e.Seconds != 20 {
		t.Errorf("%+v", e)
	}
	run := finishedRun(t, s)
	save(t, run, s.Evaluate[0], record.EvaluationTest{Task: "x", Mode: "m", Episodes: 100})
	if n := s.episodesLeft(s.Cells[0], run); n != 7 {
		t.Errorf("a cell with one of two evaluations lacks %d episodes", n)
	}
}
