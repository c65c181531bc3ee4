package main

import (
	"testing"

	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/report/read"
)

// A run that is not done says how much of its budget is spent.
func TestListedPercent(t *testing.T) {
	for status, want := range map[record.Status]int{record.Running: 25, record.Interrupted: 25, record.Done: 0} {
		s := &read.Summary{ID: "r", Alg: "finetuning", Env: "lbf", Learner: "qmix", Status: status, TEnv: 100, Total: 400,
			Tasks: []string{"right"}, Modes: []string{"single"}, Curves: map[string][]metrics.Curve{"single": {nil}}, Settings: map[string]string{}}
		if got := listed(s, map[string]map[string]string{}).Percent; got != want {
			t.Errorf("%s at 100 of 400: %d %%, want %d", status, got, want)
		}
	}
}
