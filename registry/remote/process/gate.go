package process

import (
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Gate admits the calls that a plugin makes to its host: one at a time, and
// only while the host waits for the plugin, so that nobody else uses what the
// host has lent. While it serves such a call the host may call the plugin in
// turn, and the plugin come back from that: calls nest.
type Gate struct {
	mu     sync.Mutex
	out    sync.Cond
	calls  []*watch // of the calls that the host waits for, the innermost last
	inside int      // calls of the plugin that are being served
}

// NewGate makes a closed gate.
func NewGate() *Gate {
	g := &Gate{}
	g.out.L = &g.mu
	return g
}

// enter opens the gate for a call of the host.
func (g *Gate) enter(w *watch) {
	if g != nil {
		g.mu.Lock()
		g.calls = append(g.calls, w)
		g.mu.Unlock()
	}
}

// leave ends the host's innermost call, once a call that is inside has come out.
func (g *Gate) leave() {
	if g != nil {
		g.mu.Lock()
		for g.inside == len(g.calls) {
			g.out.Wait()
		}
		g.calls = g.calls[:len(g.calls)-1]
		g.mu.Unlock()
	}
}

// Pass serves a call of the plugin. The clock of the host's call stands still
// meanwhile.
func (g *Gate) Pass(f func() error) error {
	g.mu.Lock()
	for g.inside > 0 && g.inside == len(g.calls) {
		g.out.Wait()
	}
	if len(g.calls) == 0 {
		g.mu.Unlock()
		return status.Error(codes.FailedPrecondition, "what the run lends may only be used during a call of the method")
	}
	w := g.calls[len(g.calls)-1]
	g.inside++
	w.stop()
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.inside--
		w.restart()
		g.out.Broadcast()
	}()
	return f()
}
