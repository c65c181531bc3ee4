package sc2

import (
	"slices"
	"testing"

	"macpro/core"
	"macpro/plugins/envs/internal/sc2/sc2test"
	"macpro/plugins/envs/internal/skirmish"
)

// Environments whose episodes do not overlap share a game, also on different maps.
func TestEnvironmentsTakeTurns(t *testing.T) {
	root := sc2test.Install(t, sc2test.Settings{})
	var all []*played
	for _, m := range []string{"3m", "2s3z", "3m"} {
		e := open(t, task(t, m, skirmish.Liberty()), 2, config(root))
		all = append(all, &played{env: e, f: core.NewFrame(e.Spec(), 2)})
	}
	for range 2 {
		for _, p := range all {
			if err := p.Reset([]int{0, 1}, []uint64{1, 2}, p.f); err != nil {
				t.Fatal(err)
			}
			playOut(t, p)
		}
	}
	games(t, root, 2)
	if err := all[0].Close(); err != nil {
		t.Fatal(err)
	}
	if err := all[1].Reset([]int{0}, []uint64{3}, all[1].f); err != nil {
		t.Errorf("after another environment has closed: %v", err)
	}
	games(t, root, 2)
}

// playOut plays two lanes until both episodes are over; agents stop.
func playOut(t *testing.T, p *played) {
	t.Helper()
	a, u := p.Spec().Actions, make([]int32, 2*p.Spec().Agents)
	for active := []int{0, 1}; len(active) > 0; {
		for i := range u {
			u[i] = int32(p.f.Avail[i*a+1])
		}
		if err := p.Step(active, u, p.f); err != nil {
			t.Fatal(err)
		}
		active = slices.DeleteFunc(active, func(l int) bool { return p.f.Terminated[l] || p.f.Truncated[l] })
	}
}

// More lanes than games can be had are refused before any game starts.
func TestLanesNeedGames(t *testing.T) {
	root := sc2test.Install(t, sc2test.Settings{})
	c := config(root)
	c.Games = 2
	_, err := Open(task(t, "3m", skirmish.Liberty()), 3, c)
	refused(t, err, "3 lanes", "env_args.sc2_games allows 2")
	games(t, root, 0)
}

// The limit concerns running episodes; a game that is free again can be had.
func TestLimitOfGames(t *testing.T) {
	root := sc2test.Install(t, sc2test.Settings{})
	c := config(root)
	c.Games = 1
	p := newPlayed(open(t, task(t, "3m", skirmish.Liberty()), 1, c))
	q := newPlayed(open(t, task(t, "2s3z", skirmish.Liberty()), 1, c))
	p.reset(t, 1)
	refused(t, q.Reset([]int{0}, []uint64{1}, q.f), "all 1 games of env_args.sc2_games are in the middle of episodes")
	for !p.f.Terminated[0] && !p.f.Truncated[0] {
		p.step(t)
	}
	q.reset(t, 1)
	refused(t, p.Reset([]int{0}, []uint64{1}, p.f), "all 1 games")
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	p.reset(t, 2)
	games(t, root, 1)
}
