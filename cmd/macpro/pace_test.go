package main

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"macpro/core/sweep"
)

func TestPace(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := pace{total: 10000}
	if got := leftText(p.open(), p.speed()); got != "? left" {
		t.Errorf("before any report: %s", got)
	}
	p.report(4000, start) // resumed: these steps were fast because they were not made
	if got := leftText(p.open(), p.speed()); got != "? left" {
		t.Errorf("after one report: %s", got)
	}
	p.report(5000, start.Add(10*time.Second))
	if p.speed() != 100 || p.open() != 5000 {
		t.Errorf("%v steps/s, %d to go", p.speed(), p.open())
	}
	for _, c := range []struct {
		steps int64
		want  string
	}{{5000, "50 s left"}, {100 * 60 * 7, "7 min left"}, {100 * 3600 * 5 / 2, "2.5 h left"}, {0, "0 s left"}, {math.MaxInt64, "25620477880152.2 h left"}} {
		if got := leftText(c.steps, p.speed()); got != c.want {
			t.Errorf("%d steps: %s, want %s", c.steps, got, c.want)
		}
	}
}

// The estimate for a sweep counts what is left of running cells and all of
// those that have not begun.
func TestSweepTimeLeft(t *testing.T) {
	var out bytes.Buffer
	v := newSweepView(&out, false)
	cells := []*sweep.Cell{{ID: "aaaaaa", Steps: 1000}, {ID: "bbbbbb", Steps: 1000}, {ID: "cccccc", Steps: 4000}}
	v.open = 6000
	v.Started(cells[0])
	v.Started(cells[1])
	now := time.Now()
	for _, c := range cells[:2] {
		v.cells[c.ID].report(0, now)
		v.cells[c.ID].report(500, now.Add(5*time.Second))
	}
	if got := v.left(); got != "25 s left" { // 5000 steps at twice 100 a second
		t.Errorf("%s with two running cells", got)
	}
	v.Ended(cells[0], sweep.State{Status: sweep.Done})
	if got := v.left(); got != "45 s left" { // 4500 at 100
		t.Errorf("%s with one", got)
	}
	if !strings.Contains(out.String(), "cell ends") {
		t.Errorf("the end was not told: %s", out.String())
	}
}
