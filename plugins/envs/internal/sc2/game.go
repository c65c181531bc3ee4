package sc2

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"macpro/core/store"
	"macpro/plugins/envs/internal/sc2/api"
)

// game is a game program with, at most times, a match under way.
type game struct {
	config  Config
	build   int
	proc    *process
	conn    *client // nil without a connection
	player  *lane   // whose episode was the last one
	name    string  // of the match's map
	ground  *ground // of the match
	loop    uint32  // of the match
	matches int     // so far
	vain    int     // orders that the game did not take
}

// fatal is an error that another try cannot mend.
type fatal struct{ error }

func (f fatal) Unwrap() error { return f.error }

func isFatal(err error) bool { return errors.As(err, new(fatal)) }

// maxLoops is when a match is given up for a new one: none lasts longer than 2^19.
const maxLoops = 500_000

// send makes a call and drops a connection that has become useless. A game that does
// not answer is ended: there is no telling when it would go on.
func (g *game) send(q *api.Request, limit time.Duration) (*api.Response, error) {
	if g.conn == nil {
		return nil, fmt.Errorf("StarCraft II, %s: no connection", q.Command())
	}
	r, err := g.conn.call(q, limit)
	if err == nil {
		return r, nil
	}
	if errors.As(err, new(*refusal)) {
		return nil, err
	}
	g.conn.close()
	g.conn = nil
	if errors.Is(err, errSlow) {
		g.proc.end()
	} else if g.proc.gone(time.Second) {
		err = fmt.Errorf("%w; %s", err, g.proc.how())
	}
	return nil, err
}

func (g *game) ask(q *api.Request) (*api.Response, error) { return g.send(q, g.config.timeout()) }

func (g *game) create(name string, data []byte, own, other int32, seed uint32) error {
	g.keepReplay()
	g.name, g.ground = name, nil
	g.matches++
	r, err := g.send(&api.Request{CreateGame: &api.CreateGame{
		Map: &api.LocalMap{Path: "SMAC_Maps/" + name + suffix, Data: data},
		Players: []api.PlayerSetup{
			{Type: api.Participant}, {Type: api.Computer, Race: other, Difficulty: api.VeryHard}},
		RandomSeed: seed,
	}}, g.config.startTimeout())
	if err != nil {
		return err
	}
	if e := r.CreateGame; e.Error != 0 {
		return fatal{fmt.Errorf("StarCraft II cannot play the map %s: %s %s", name, word(api.CreateErrors, e.Error), e.Details)}
	}
	r, err = g.send(&api.Request{JoinGame: &api.JoinGame{
		Race: own, Options: &api.InterfaceOptions{Raw: true}}}, g.config.startTimeout())
	if err != nil {
		return err
	}
	if e := r.JoinGame; e.Error != 0 {
		return fmt.Errorf("StarCraft II does not let us join a match on %s: %s %s", name, word(api.JoinErrors, e.Error), e.Details)
	}
	if r, err = g.ask(&api.Request{GameInfo: &api.Empty{}}); err != nil {
		return err
	}
	g.loop = 0
	if g.ground, err = newGround(r.GameInfo); err != nil {
		return fatal{fmt.Errorf("StarCraft II, map %s: %w", name, err)}
	}
	return nil
}

func word(words []string, i int32) string {
	if i > 0 && int(i) < len(words) {
		return words[i]
	}
	return fmt.Sprintf("error %d", i)
}

// playing reports whether the match can go on for another episode on a map.
func (g *game) playing(name string) bool {
	return g.conn != nil && g.name == name && g.ground != nil && g.conn.status == api.InGame && g.loop < maxLoops
}

// usable reports whether a program in which something went wrong is worth another try:
// it has merely lost its connection, or its match has come to an end.
func (g *game) usable() bool {
	if g.conn == nil {
		return !g.proc.gone(0)
	}
	return g.conn.status == api.Ended
}

func (g *game) observe() ([]api.Unit, error) {
	r, err := g.ask(&api.Request{Observation: &api.Empty{}})
	if err != nil {
		return nil, err
	}
	o := r.Observation.Observation
	if o == nil || o.Raw == nil {
		return nil, errors.New("StarCraft II shows no list of units")
	}
	g.loop = o.Loop
	return o.Raw.Units, nil
}

func (g *game) step(loops uint32) error {
	_, err := g.ask(&api.Request{Step: &api.Step{Count: loops}})
	return err
}

// act gives orders. Like a player's, they may be in vain (a marauder cannot shoot at
// what flies): the unit then goes on with its old order.
func (g *game) act(orders []api.Action) error {
	if len(orders) == 0 {
		return nil
	}
	r, err := g.ask(&api.Request{Action: &api.Actions{Actions: orders}})
	if err != nil {
		return err
	}
	for _, result := range r.Action.Results {
		if result != api.Accepted {
			g.vain++
		}
	}
	return nil
}

func (g *game) kill(tags []uint64) error {
	if len(tags) == 0 {
		return nil
	}
	orders := []api.DebugOrder{{Kill: &api.KillUnits{Tags: tags}}}
	_, err := g.ask(&api.Request{Debug: &api.DebugOrders{Orders: orders}})
	return err
}

// keepReplay saves the match that is about to end, if replays are wanted. They are
// keepsakes: without one the training goes on.
func (g *game) keepReplay() {
	if g.config.Replays == "" || g.conn == nil || g.ground == nil {
		return
	}
	r, err := g.ask(&api.Request{SaveReplay: &api.Empty{}})
	if err == nil {
		name := fmt.Sprintf("%s-%d-%d.SC2Replay", g.name, g.proc.cmd.Process.Pid, g.matches)
		err = store.WriteFile(store.OS(), filepath.Join(g.config.Replays, name), r.SaveReplay.Data)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "the replay of a match on %s is lost: %v\n", g.name, err)
	}
}

// farewell bounds the time that a game gets to quit by itself.
const farewell = 2 * time.Second

// close ends the program, in peace if it goes along.
func (g *game) close() {
	g.keepReplay()
	if g.conn != nil {
		_, err := g.conn.call(&api.Request{Quit: &api.Empty{}}, farewell)
		g.conn.close()
		g.conn = nil
		if err == nil {
			g.proc.gone(farewell)
		}
	}
	g.proc.end()
}
