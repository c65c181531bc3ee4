package sc2

import (
	"fmt"

	"macpro/plugins/envs/internal/sc2/api"
	"macpro/plugins/envs/internal/skirmish/battle"
)

// stage is what all lanes of an environment share.
type stage struct {
	Task
	config Config
	fleet  *fleet
	data   []byte // the map file
}

// lane plays the episodes of one lane.
type lane struct {
	*stage
	number int
	game   *game // nil between episodes

	roster *roster
	view   *battle.View
	scorer *battle.Scorer
	scale  float64       // reward per raw point
	avail  []uint8       // available actions [n, A]
	flat   *battle.Table // the table in coordinates of the state
	last   []int32       // last joint action, nil at the start of an episode
	losses int           // games lost since an episode last came to its end
}

func newLane(s *stage, number int) *lane {
	return &lane{
		stage: s, number: number,
		roster: newRoster(s.Map), view: battle.NewView(s.Map, s.Options), scorer: battle.NewScorer(s.Map, s.Options.Pay),
		flat:  battle.NewTable(s.Map),
		avail: make([]uint8, s.Map.Agents()*s.Map.Actions()),
	}
}

// patience bounds how many games may be lost in a row.
const patience = 5

// reset starts an episode, on another game if need be.
func (l *lane) reset(seed uint64) error {
	for {
		err := l.begin(uint32(seed ^ seed>>32))
		if err == nil {
			return nil
		}
		if isFatal(err) {
			l.drop()
			return err
		}
		if err := l.lose(err); err != nil {
			return err
		}
	}
}

// lose counts a loss. It returns an error once there were too many in a row.
func (l *lane) lose(why error) error {
	l.losses++
	if l.game != nil && !l.game.usable() {
		l.drop()
	}
	if l.losses >= patience {
		l.drop()
		return fmt.Errorf("lane %d: lost StarCraft II %d times without finishing an episode, the last time because: %w", l.number, l.losses, why)
	}
	return nil
}

func (l *lane) drop() {
	if l.game != nil {
		l.fleet.discard(l.game)
		l.game = nil
	}
}

// park lets the game go for episodes of others.
func (l *lane) park() {
	if l.game != nil {
		l.fleet.park(l.game)
		l.game = nil
	}
}

// begin makes one attempt at starting an episode.
func (l *lane) begin(seed uint32) error {
	if err := l.sit(); err != nil {
		return fatal{err} // to launch a game was tried several times
	}
	if l.config.Fresh || !l.game.playing(l.Map.Name) {
		if err := l.match(seed); err != nil {
			return err
		}
	} else if err := l.clear(); err != nil {
		return err
	}
	if err := l.settle(); err != nil {
		return err
	}
	l.scorer.Begin(l.roster.table)
	l.scale = battle.RewardScale / l.Map.MaxReward(l.roster.rules(l.Options.Rules))
	l.last = nil
	l.look()
	return nil
}

// sit gets a game with a connection.
func (l *lane) sit() error {
	for l.game == nil || l.game.conn == nil {
		if l.game == nil {
			g, err := l.fleet.take(l)
			if err != nil {
				return err
			}
			if l.game = g; g.player != l {
				g.player = l
				l.roster.forget()
			}
		}
		if l.game.conn == nil && l.game.reconnect() != nil {
			l.drop()
		}
	}
	return nil
}

func (l *lane) match(seed uint32) error {
	l.roster.forget()
	return l.game.create(l.Map.Name, l.data, race(l.Map.Allies()), race(l.Map.Foes()), seed)
}

// clear kills who is left of the last episode; the map then starts the next one.
func (l *lane) clear() error {
	units, err := l.game.observe()
	if err != nil {
		return err
	}
	if err := l.game.kill(living(units)); err != nil {
		return err
	}
	return l.game.step(2)
}

// settling is how many game loops the map may take to make all units.
const settling = 64

// settle waits for all units and gives them their places.
func (l *lane) settle() error {
	for range settling {
		units, err := l.game.observe()
		if err != nil {
			return err
		}
		if l.roster.complete(units) {
			if err := l.roster.enlist(units); err != nil {
				return fatal{fmt.Errorf("StarCraft II, map %s: %w; the file may be another map", l.Map.Name, err)}
			}
			return nil
		}
		if err := l.game.step(1); err != nil {
			return err
		}
	}
	units, err := l.game.observe()
	if err != nil {
		return err
	}
	own, other, old := l.roster.census(units)
	return fatal{fmt.Errorf("StarCraft II, map %s: %d agents and %d enemies (%d of the last episode) after %d loops, want %d and %d; "+
		"the file may be another map", l.Map.Name, own, other, old, settling, l.Map.Agents(), l.Map.Enemies())}
}

// step carries out a joint action. If the game is lost in it, the episode is over.
func (l *lane) step(actions []int32) (battle.Outcome, error) {
	if l.game == nil {
		return battle.Outcome{}, fmt.Errorf("lane %d has no running game, reset it first", l.number)
	}
	orders := l.orders(actions)
	l.last = append(l.last[:0], actions...)
	units, err := l.advance(orders)
	if err != nil {
		err = l.lose(err)
		l.park()
		return battle.Outcome{Terminated: true}, err
	}
	l.roster.show(units)
	l.look()
	raw := l.scorer.Step(l.roster.table)
	return l.view.Judge(l.roster.table).Outcome(raw, l.scale), nil
}

// finish ends an episode that has come to its end.
func (l *lane) finish() {
	if l.game != nil { // not lost
		l.losses = 0
		l.park()
	}
}

func (l *lane) advance(orders []api.Action) ([]api.Unit, error) {
	if err := l.game.act(orders); err != nil {
		return nil, err
	}
	if err := l.game.step(battle.StepTicks); err != nil {
		return nil, err
	}
	return l.game.observe()
}

// look finds the available actions.
func (l *lane) look() {
	t, a := l.roster.table, l.Map.Actions()
	l.view.Avail(t, l.avail)
	for i := range t.Agents {
		if u := &t.Agents[i]; u.Health > 0 {
			l.game.ground.moves(u, l.avail[i*a:])
		}
	}
	l.game.ground.normalise(t.Agents, l.flat.Agents)
	l.game.ground.normalise(t.Enemies, l.flat.Enemies)
}

func (l *lane) observe(obs, state []float32) {
	l.view.Obs(l.roster.table, l.avail, obs)
	l.view.State(l.flat, l.last, state)
}
