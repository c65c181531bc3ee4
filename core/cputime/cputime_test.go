package cputime

import (
	"math"
	"slices"
	"testing"
	"time"
)

// spin works until the process has used so much processor time.
func spin(d time.Duration) {
	for from := Used(); Used()-from < d; {
	}
}

// Work counts, waiting does not.
func TestUsed(t *testing.T) {
	from, clock := Used(), time.Now()
	spin(20 * time.Millisecond)
	worked, passed := Used()-from, time.Since(clock)
	if worked < 20*time.Millisecond || passed < 10*time.Millisecond {
		t.Errorf("%v of work in %v", worked, passed)
	}
	from = Used()
	time.Sleep(200 * time.Millisecond)
	if waited := Used() - from; waited > 100*time.Millisecond {
		t.Errorf("waiting counts as %v", waited)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		took []time.Duration
		want time.Duration
	}{{[]time.Duration{7}, 7}, {[]time.Duration{9, 1, 5}, 5}, {[]time.Duration{4, 2}, 4}} {
		if got := Median(slices.Clone(c.took)); got != c.want {
			t.Errorf("median of %v: %v, want %v", c.took, got, c.want)
		}
	}
}

// counted is a benchmark of some rounds.
type counted struct {
	left    int
	metrics map[string]float64
}

func (c *counted) Loop() bool                          { c.left--; return c.left >= 0 }
func (c *counted) ReportMetric(n float64, unit string) { c.metrics[unit] = n }

// The two take turns, and what prepares the work does not count.
func TestInTurn(t *testing.T) {
	b := &counted{left: 3, metrics: map[string]float64{}}
	var turns []int
	InTurn(b, "short", "long", func(i int) func() {
		spin(12 * time.Millisecond)
		return func() {
			turns = append(turns, i)
			spin(time.Duration(2+6*i) * time.Millisecond)
		}
	})
	if want := []int{0, 1, 0, 1, 0, 1}; !slices.Equal(turns, want) {
		t.Errorf("turns %v, want %v", turns, want)
	}
	m := b.metrics
	if m["short-ms"] < 2 || m["short-ms"] > 11 || m["long-ms"] < 8 || m["long-ms"] > 19 || math.Abs(m["ratio"]*m["short-ms"]/m["long-ms"]-1) > 1e-9 {
		t.Errorf("%v", m)
	}
}
