package nn

import (
	"sync"
	"sync/atomic"
)

// Crew bounds how many goroutines compute at a time. Graphs that share a Crew may
// run at the same time, and their operations may cut their work into parts
// ([Threaded]); however many parts there are, no more than the Crew's size are
// worked on.
type Crew struct {
	size  int
	seats chan struct{}
}

// NewCrew makes a crew of at least one.
func NewCrew(size int) *Crew {
	size = max(1, size)
	return &Crew{size: size, seats: make(chan struct{}, size)}
}

// Size is the number of goroutines that may compute at a time, 1 without a crew.
func (c *Crew) Size() int {
	if c == nil {
		return 1
	}
	return c.size
}

// enter waits for a seat, leave gives it back.
func (c *Crew) enter() { c.seats <- struct{}{} }
func (c *Crew) leave() { <-c.seats }

// Each does work(k, i) for every i below n. At the same time there are never two
// calls with the same k, which is below Size, so that each k can have memory of
// its own. It is called while a graph of the crew runs.
func (c *Crew) Each(n int, work func(k, i int)) {
	if c.Size() == 1 || n < 2 {
		for i := range n {
			work(0, i)
		}
		return
	}
	var next atomic.Int64
	c.together(min(c.size, n), func(k int) {
		c.enter()
		defer c.leave()
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			work(k, i)
		}
	})
}

// line does work(k, i) for every k below stages and i below n: each stage takes
// the items in order, from the stage before it.
func (c *Crew) line(stages, n int, work func(k, i int)) {
	done := make([]chan struct{}, stages)
	for k := range done {
		done[k] = make(chan struct{}, n)
	}
	c.together(stages, func(k int) {
		defer close(done[k]) // lets the next one end, even if this one panics
		for i := range n {
			if k > 0 {
				<-done[k-1]
			}
			c.seated(func() { work(k, i) })
			done[k] <- struct{}{}
		}
	})
}

// seated does work on a seat.
func (c *Crew) seated(work func()) {
	c.enter()
	defer c.leave()
	work()
}

// together runs work(0) to work(n-1) at the same time and waits for all; the
// caller's seat is free meanwhile. A panic in one of them is raised again by the
// caller, once all have ended.
func (c *Crew) together(n int, work func(k int)) {
	c.leave()
	defer c.enter()
	var others sync.WaitGroup
	panics := make([]any, n)
	for k := range n {
		others.Go(func() {
			defer func() { panics[k] = recover() }()
			work(k)
		})
	}
	others.Wait()
	for _, p := range panics {
		if p != nil {
			panic(p)
		}
	}
}
