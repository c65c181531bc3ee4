package nn

import (
	"strings"
	"sync/atomic"
	"testing"
)

// A crew does every part once, never two with the same memory at a time, and no
// more parts at a time than it has members, also when two graphs share it.
func TestCrew(t *testing.T) {
	for _, size := range []int{1, 2, 3, 8} {
		c := NewCrew(size)
		var busy, most atomic.Int64
		hands, done := make([][]atomic.Int64, 2), make([][]atomic.Int64, 2)
		part := func(graph, k, i int) {
			n := busy.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			if hands[graph][k].Add(1) != 1 {
				t.Errorf("size %d: hand %d does two parts at a time", size, k)
			}
			done[graph][i].Add(1)
			hands[graph][k].Add(-1)
			busy.Add(-1)
		}
		const parts = 200
		runs := make(chan struct{})
		for graph := range 2 {
			hands[graph], done[graph] = make([]atomic.Int64, size), make([]atomic.Int64, parts)
			go func() {
				c.enter()
				c.Each(parts, func(k, i int) { part(graph, k, i) })
				c.leave()
				runs <- struct{}{}
			}()
		}
		<-runs
		<-runs
		for graph := range done {
			for i := range done[graph] {
				if n := done[graph][i].Load(); n != 1 {
					t.Errorf("size %d: part %d was done %d times", size, i, n)
				}
			}
		}
		if n := most.Load(); n > int64(size) {
			t.Errorf("a crew of %d did %d parts at a time", size, n)
		}
	}
	if n := (*Crew)(nil).Size(); n != 1 {
		t.Errorf("no crew has size %d, want 1", n)
	}
}

// In a line each stage takes the items in order and after the stage before it.
func TestCrewLine(t *testing.T) {
	c := NewCrew(2)
	const stages, items = 3, 50
	var at [stages]atomic.Int64
	c.enter()
	c.line(stages, items, func(k, i int) {
		if got := at[k].Add(1); got != int64(i+1) {
			t.Errorf("stage %d takes item %d as number %d", k, i, got)
		}
		if k > 0 && at[k-1].Load() <= int64(i) {
			t.Errorf("stage %d takes item %d before stage %d is done with it", k, i, k-1)
		}
	})
	c.leave()
}

// A panic in one part ends the call with that panic; the crew still works.
func TestCrewPanics(t *testing.T) {
	for name, call := range map[string]func(c *Crew){
		"each": func(c *Crew) { c.Each(9, func(_, i int) { fault(i) }) },
		"line": func(c *Crew) { c.line(3, 9, func(_, i int) { fault(i) }) },
	} {
		c := NewCrew(3)
		err := func() (err any) {
			c.enter()
			defer c.leave()
			defer func() { err = recover() }()
			call(c)
			return nil
		}()
		if s, ok := err.(string); !ok || !strings.Contains(s, "five") {
			t.Errorf("%s: panic %v, want that of part five", name, err)
		}
		c.enter()
		c.Each(4, func(int, int) {})
		c.leave()
		if len(c.seats) != 0 {
			t.Errorf("%s: %d seats are still taken", name, len(c.seats))
		}
	}
}

func fault(i int) {
	if i == 5 {
		panic("part five")
	}
}
