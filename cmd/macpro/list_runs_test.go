package main

import (
	"strings"
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

// A run whose values left the returns says so, whatever its status.
func TestListedAlarm(t *testing.T) {
	for _, status := range []record.Status{record.Running, record.Done} {
		s := &read.Summary{ID: "r", Status: status, Alarms: 1, PeakQRatio: 3.764e9, Settings: map[string]string{}}
		const want = "alarm: the mean Q_tot reached 3.76e+09 times the largest return\n"
		if got := runsText([]listedRun{listed(s, usual{})}, 80); !strings.Contains(got, want) {
			t.Errorf("%s: %s lacks %q", status, got, want)
		}
	}
}
