package continual_test

import (
	"encoding/json"
	"strings"
	"testing"

	"macpro/core/conform"
	"macpro/core/continual"
)

// Measuring changes no network, and a run that resumes measures the same.
func TestPlasticity(t *testing.T) {
	plain := start(t, nil, realOptions(t))
	finish(t, plain)
	whole := &tape{t: t}
	r := start(t, whole, realOptions(t, "plasticity_nepisode", 3))
	finish(t, r)
	measured := 0
	for _, line := range whole.Rows {
		var got row
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if got.Kind != "plasticity" {
			continue
		}
		_, drifts := got.F["drift"]
		if drifts != (measured > 0) || got.F["index"] != float64(measured) || got.F["norm"].(float64) <= 0 || got.F["rank"].(float64) < 1 {
			t.Errorf("row %d: %v", measured, got.F)
		}
		measured++
	}
	if measured != 2 {
		t.Errorf("%d rows for two tasks", measured)
	}
	end := parts(t, r)
	sameParts(t, "measured", parts(t, plain), end, continual.PartRun)
	for _, c := range whole.Checkpoints {
		again := &tape{Record: *whole.From(c), t: t}
		r := start(t, again, realOptions(t, "plasticity_nepisode", 3))
		if err := conform.LoadParts(r, c.Parts); err != nil {
			t.Fatal(err)
		}
		finish(t, r)
		sameRows(t, "resumed", whole.Rows, again.Rows)
		sameParts(t, "resumed", end, parts(t, r))
	}
	_, err := continual.New(options("plasticity_nepisode", 3))
	if err == nil || !strings.Contains(err.Error(), "plasticity_nepisode=0") {
		t.Errorf("a learner without the ability: %v", err)
	}
}
