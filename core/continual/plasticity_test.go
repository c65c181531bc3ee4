package continual_test

import (
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
