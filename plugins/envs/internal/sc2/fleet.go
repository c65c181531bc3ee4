package sc2

import (
	"fmt"
	"slices"
	"sync"
)

// fleet holds the games of all environments of this program that have the same
// configuration. A run opens an environment for each task that it trains on and each
// that it tests. Their episodes take turns, and so they take turns with the games. There
// are never more games than there once were episodes side by side. The last environment
// that closes ends all games.
type fleet struct {
	install *install
	config  Config
	users   int // open environments; guarded by fleets

	mu    sync.Mutex
	total int     // games, those of running episodes included
	idle  []*game // the others, the one last used at the end
}

// fleets are those in use, by configuration.
var fleets = struct {
	sync.Mutex
	by map[string]*fleet
}{by: map[string]*fleet{}}

// join returns the fleet of a configuration for one more environment.
func join(in *install, c Config) *fleet {
	fleets.Lock()
	defer fleets.Unlock()
	key := in.binary + " " + fmt.Sprint(c)
	f := fleets.by[key]
	if f == nil {
		f = &fleet{install: in, config: c}
		fleets.by[key] = f
	}
	f.users++
	return f
}

// leave takes an environment's leave.
func (f *fleet) leave() {
	fleets.Lock()
	f.users--
	last := f.users == 0
	if last {
		for key, other := range fleets.by {
			if other == f {
				delete(fleets.by, key)
			}
		}
	}
	fleets.Unlock()
	if last {
		_ = together(len(f.idle), func(i int) error { f.idle[i].close(); return nil }) // always nil
		f.idle, f.total = nil, 0
	}
}

// take returns a game for an episode of a lane. It prefers the lane's last game, then a
// game with a match on its map, then the game that has been idle for longest, then a new
// game.
func (f *fleet) take(l *lane) (*game, error) {
	f.mu.Lock()
	if i := f.choose(l); i >= 0 {
		g := f.idle[i]
		f.idle = slices.Delete(f.idle, i, i+1)
		f.mu.Unlock()
		return g, nil
	}
	if f.total >= f.config.Games {
		f.mu.Unlock()
		return nil, fmt.Errorf("all %d games of env_args.sc2_games are in the middle of episodes; "+
			"allow more, or play fewer episodes side by side (envs_per_rollout, test_nepisode)", f.config.Games)
	}
	f.total++
	f.mu.Unlock()
	g, err := launch(f.install, f.config)
	if err != nil {
		f.mu.Lock()
		f.total--
		f.mu.Unlock()
	}
	return g, err
}

// choose returns the index of the idle game that suits a lane best, or -1.
func (f *fleet) choose(l *lane) int {
	if i := slices.IndexFunc(f.idle, func(g *game) bool { return g.player == l }); i >= 0 {
		return i
	}
	if i := slices.IndexFunc(f.idle, func(g *game) bool { return g.playing(l.Map.Name) }); i >= 0 {
		return i
	}
	return min(len(f.idle), 1) - 1
}

// park takes back a game whose episode is over.
func (f *fleet) park(g *game) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.idle = append(f.idle, g)
}

// discard ends a game that is of no use any more.
func (f *fleet) discard(g *game) {
	g.close()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.total--
}
