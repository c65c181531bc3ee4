package process

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// call is a call of the host during which f runs.
func call(g *Gate, f func()) {
	w := newWatch(time.Minute, func() {})
	g.enter(w)
	f()
	g.leave()
	w.stop()
}

func TestGateIsClosedBetweenCalls(t *testing.T) {
	g := NewGate()
	pass := func() error { return g.Pass(func() error { return nil }) }
	if pass() == nil {
		t.Error("it is open before any call")
	}
	call(g, func() {
		if err := pass(); err != nil {
			t.Error(err)
		}
		want := errors.New("no")
		if err := g.Pass(func() error { return want }); err != want {
			t.Errorf("the error of what is served is %v", err)
		}
	})
	if pass() == nil {
		t.Error("it is open after a call")
	}
}

// A call that is served may make calls of its own, from which the plugin comes
// back.
func TestGateNests(t *testing.T) {
	g, depth := NewGate(), 0
	var down func() error
	down = func() error {
		if depth++; depth == 4 {
			return nil
		}
		var err error
		call(g, func() { err = g.Pass(down) })
		return err
	}
	if err := down(); err != nil || depth != 4 {
		t.Errorf("depth %d, %v", depth, err)
	}
}

// Calls at the same time are served one after the other, and the host's call
// ends when the last of them has come out.
func TestGateServesOneAtATime(t *testing.T) {
	g := NewGate()
	var inside, most, served, refused atomic.Int32
	var wg sync.WaitGroup
	call(g, func() {
		started := make(chan bool, 8)
		for range 8 {
			wg.Go(func() {
				err := g.Pass(func() error {
					most.Store(max(most.Load(), inside.Add(1)))
					started <- true
					time.Sleep(5 * time.Millisecond)
					inside.Add(-1)
					served.Add(1)
					return nil
				})
				if err != nil { // it came after the host's call
					refused.Add(1)
				}
			})
		}
		<-started
	})
	if inside.Load() != 0 {
		t.Error("the call has ended while another one was being served")
	}
	wg.Wait()
	if most.Load() != 1 || served.Load() == 0 || served.Load()+refused.Load() != 8 {
		t.Errorf("%d calls at the same time, %d served, %d refused", most.Load(), served.Load(), refused.Load())
	}
}
