package process

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"macpro/core"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"macpro/core/names"
)

// Error is a plugin's failure.
type Error struct {
	Plugin    string // as in "env/corridor"
	Call      string // as in "Step"
	Reason    error
	LastWords string // the end of its standard error, if that may explain it
}

// Error names plugin, call and reason. What the plugin itself says is safe to print.
func (e *Error) Error() string {
	const most = 4 << 10 // bytes of a reason, which may be the plugin's own
	reason := e.Reason.Error()
	if len(reason) > most {
		reason = reason[:most] + "..."
	}
	msg := fmt.Sprintf("plugin %s: %s: %s", e.Plugin, e.Call, reason)
	if e.LastWords != "" {
		msg += "; its last words:\n" + e.LastWords
	}
	return names.PlainLines(msg)
}

func (e *Error) Unwrap() error { return e.Reason }

// NotFinite is the code of a *core.NotFiniteError.
const NotFinite = codes.OutOfRange

// Trace stands between the reason of a codes.Internal and the trace that belongs to it.
// Both come in one message: what a process writes to standard error comes at any time.
const Trace = "\n\n"

// errSlow is the cause of a call's end by time-out.
var errSlow = errors.New("time-out")

// Call makes one call of the plugin, within the time-out. Meanwhile the plugin may
// come back through the gate, if there is one, which stops the clock. The error of f
// is that of a gRPC client; the error that is returned names plugin and call.
func (p *Process) Call(call string, g *Gate, f func(context.Context) error) error {
	return p.call(call, p.timeout, g, f)
}

// First is Call for what belongs to the start: it has no more time than that.
func (p *Process) First(call string, f func(context.Context) error) error {
	limit := p.start
	if p.timeout > 0 {
		limit = min(limit, p.timeout)
	}
	return p.call(call, limit, nil, f)
}

// call makes one call within a limit, 0 for none.
func (p *Process) call(call string, limit time.Duration, g *Gate, f func(context.Context) error) error {
	if err := p.failed(); err != nil {
		return &Error{Plugin: p.name, Call: call, Reason: err}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	w := newWatch(limit, func() { cancel(errSlow) })
	g.enter(w)
	err := f(ctx)
	g.leave()
	w.stop()
	if err == nil {
		return nil
	}
	return p.explain(ctx, call, limit, err)
}

// Fault is the error for an answer of the plugin that breaks the contract.
func (p *Process) Fault(call string, reason error) error {
	return &Error{Plugin: p.name, Call: call, Reason: reason}
}

// explain words the error of a call and ends a process that is lost.
func (p *Process) explain(ctx context.Context, call string, limit time.Duration, err error) error {
	s := status.Convert(err)
	e := &Error{Plugin: p.name, Call: call, Reason: errors.New(s.Message())}
	switch {
	case errors.Is(context.Cause(ctx), errSlow):
		e.Reason = fmt.Errorf("no answer within %v, so it was ended", limit)
		p.fail(e.Reason)
		p.child.end()
	case s.Code() == codes.Unavailable || s.Code() == codes.Canceled:
		if !p.gone(grace) {
			p.child.end()
			p.heard()
		}
		if p.child.killed() {
			e.Reason = fmt.Errorf("the connection broke, so it was ended: %s", s.Message())
		} else {
			e.Reason = fmt.Errorf("the process has ended with %s", p.child.how())
		}
		e.LastWords = explaining(p.out.String())
		p.fail(e.Reason)
	case s.Code() == codes.Internal: // a panic or an exception
		reason, trace, _ := strings.Cut(s.Message(), Trace)
		e.Reason, e.LastWords = errors.New(reason), explaining(trace)
	case s.Code() == NotFinite:
		e.Reason = core.NotFinite("%s", s.Message())
	case s.Code() == codes.ResourceExhausted:
		e.Reason = fmt.Errorf("a message is larger than %d MiB: %s", MaxMessage>>20, s.Message())
	case s.Code() == codes.Unimplemented:
		e.Reason = fmt.Errorf("the plugin does not answer this call: %s", s.Message())
	}
	return e
}

// fail notes why the process is of no use any more; the first reason stays.
func (p *Process) fail(reason error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fatal == nil {
		p.fatal = reason
	}
}

// Ended says that the process is of no use any more; every call fails.
func (p *Process) Ended() bool { return p.failed() != nil }

func (p *Process) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fatal
}

// watch ends a call that takes too long. The clock can be stopped.
type watch struct {
	limit time.Duration
	timer *time.Timer // nil without a limit
}

func newWatch(limit time.Duration, expire func()) *watch {
	w := &watch{limit: limit}
	if limit > 0 {
		w.timer = time.AfterFunc(limit, expire)
	}
	return w
}

// stop stops the clock; restart sets it to the beginning.
func (w *watch) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *watch) restart() {
	if w.timer != nil {
		w.timer.Reset(w.limit)
	}
}
