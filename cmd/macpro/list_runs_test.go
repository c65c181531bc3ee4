package main

import (
	"testing"

	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/report/read"
)

// A run that is not done says how much of its budget is spent.
func TestListedPercent(t *testing.T) {
	for _, c := range []struct {
		status record.Status
		at     int64
		want   int
	}{{record.Running, 100, 25}, {record.Interrupted, 100, 25}, {record.Done, 100, 0}, {record.Failed, 413, 100}} {
		s := &read.Summary{ID: "r", Alg: "finetuning", Env: "lbf", Learner: "qmix", Status: c.status, TEnv: c.at, Total: 400,
			Tasks: []string{"right"}, Modes: []string{"single"}, Curves: map[string][]metrics.Curve{"single": {nil}}, Settings: map[string]string{}}
		if got := listed(s, map[string]map[string]string{}).Percent; got != c.want {
			t.Errorf("%s at %d of 400: %d %%, want %d", c.status, c.at, got, c.want)
		}
	}
}
