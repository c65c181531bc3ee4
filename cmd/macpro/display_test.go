package main

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"macpro/core"
	"macpro/core/continual"
)

// A line of progress names its scores: of many tasks the last ones, and the mean of
// those before. The loss is that of the last row of statistics.
func TestLinesOfProgress(t *testing.T) {
	many := make([]float64, mostScores+3)
	names := make([]string, len(many))
	for i := range many {
		names[i], many[i] = strings.Repeat("t", i+1), 0.5
	}
	many[1] = math.NaN()
	for _, c := range []struct {
		scores []float64
		row    core.Event
		want   []string
	}{
		{[]float64{1, math.NaN()}, core.Event{}, []string{"scores.t=1.00 scores.tt=- loss=- epsilon=0.250"}},
		{many, core.Event{}, []string{"scores.mean_of_first_3=0.50 scores.tttt=0.50 ", "scores.ttttttttttt=0.50 loss=-"}},
		{nil, core.Event{Kind: "train", Task: "t", Fields: map[string]any{"epsilon": 0.25, "loss": 0.123456}}, []string{"of=9 loss=0.1235"}},
	} {
		var out bytes.Buffer
		d := newDisplay(&out, io.Discard, false, names)
		d.last = time.Time{}
		if c.row.Kind != "" {
			d.event(c.row)
		}
		d.progress(continual.Status{Task: "t", Total: 9, Epsilon: 0.25, Scores: c.scores})
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s lacks %q", out.String(), want)
			}
		}
	}
}
