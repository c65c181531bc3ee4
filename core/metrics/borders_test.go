package metrics

import (
	"fmt"
	"math"
	"testing"
)

func TestBorders(t *testing.T) {
	for _, c := range []struct {
		name          string
		starts, found []int64
		want          string // borders, found, delays, false alarms, missed
	}{
		{"each at once", []int64{0, 100, 200}, []int64{100, 200}, "2 2 [0 0] 0 0"},
		{"each late", []int64{0, 100, 200}, []int64{130, 210}, "2 2 [30 10] 0 0"},
		{"none", []int64{0, 100, 200}, nil, "2 0 [] 0 2"},
		{"in the first task", []int64{0, 100}, []int64{40, 99, 150}, "1 3 [50] 2 0"},
		{"twice in one task", []int64{0, 100, 200}, []int64{110, 160, 230}, "2 3 [10 30] 1 0"},
		{"one border, after the next", []int64{0, 100, 200}, []int64{250}, "2 1 [50] 0 1"},
		{"the last missed", []int64{0, 100, 200}, []int64{120}, "2 1 [20] 0 1"},
		{"one task", []int64{0}, []int64{7}, "0 1 [] 1 0"},
		{"nothing", nil, nil, "0 0 [] 0 0"},
	} {
		s := Borders(c.starts, c.found)
		if got := fmt.Sprint(s.Borders, s.Found, s.Delays, s.FalseAlarms, s.Missed); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	s := BorderSummary{Delays: []int64{10, 60, 20}}
	if s.MeanDelay() != 30 || s.MaxDelay() != 60 {
		t.Errorf("mean %v, longest %v", s.MeanDelay(), s.MaxDelay())
	}
	if s = (BorderSummary{}); !math.IsNaN(s.MeanDelay()) || !math.IsNaN(s.MaxDelay()) {
		t.Errorf("without delays: mean %v, longest %v", s.MeanDelay(), s.MaxDelay())
	}
}
