package sc2

import (
	"fmt"
	"time"

	"macpro/plugins/envs/internal/sc2/api"
)

// launches bounds the attempts to start a game, each on a port of its own.
const launches = 3

// launch starts a game and connects to it. All attempts together take no longer than
// the time that one start may take, and one attempt more.
func launch(in *install, c Config) (*game, error) {
	deadline := time.Now().Add(c.startTimeout())
	var err error
	for range launches {
		var p *process
		if p, err = start(in, c.Args); err != nil {
			return nil, fatal{err}
		}
		g := &game{config: c, build: in.build, proc: p}
		if err = g.connect(time.Now().Add(c.startTimeout())); err == nil {
			return g, nil
		}
		p.end()
		if isFatal(err) || time.Now().After(deadline) {
			break
		}
	}
	return nil, err
}

// The time between two attempts to connect grows from the first to the second.
const (
	shortPause = 20 * time.Millisecond
	longPause  = time.Second
)

// connect waits until the game answers. While it starts it refuses connections, or
// accepts them without knowing the protocol's address yet.
func (g *game) connect(deadline time.Time) error {
	for pause := shortPause; ; pause = min(2*pause, longPause) {
		conn, err := dial(g.proc.port, max(time.Until(deadline), pause))
		if err == nil {
			g.conn = conn
			return g.greet(api.Launched)
		}
		if g.proc.gone(pause) {
			return fmt.Errorf("StarCraft II did not start: %s", g.proc.how())
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("StarCraft II did not start to listen on port %d within %v: %w", g.proc.port, g.config.startTimeout(), err)
		}
	}
}

// reconnect gets a new connection to a game that lost it, if it still runs.
func (g *game) reconnect() error {
	if g.proc.gone(0) {
		return fmt.Errorf("StarCraft II is gone: %s", g.proc.how())
	}
	conn, err := dial(g.proc.port, g.config.timeout())
	if err != nil {
		return err
	}
	g.conn = conn
	return g.greet(0)
}

// greet makes sure that the other end is the game that was started. A program in
// another state than it should be in is somebody else's.
func (g *game) greet(want api.Status) error {
	r, err := g.ask(&api.Request{Ping: &api.Empty{}})
	if err != nil {
		return err
	}
	if got := int(r.Ping.BaseBuild); got != g.build {
		return fatal{fmt.Errorf("StarCraft II calls itself %s, build %d, but was started from Versions/Base%d; "+
			"choose another env_args.sc2_version, or unpack the game again", r.Ping.GameVersion, got, g.build)}
	}
	if want != 0 && r.Status != want {
		return fmt.Errorf("the StarCraft II on port %d is %v, not %v: it is not the one that was started", g.proc.port, r.Status, want)
	}
	return nil
}
