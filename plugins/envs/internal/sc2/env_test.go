package sc2

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"macpro/plugins/envs/internal/sc2/sc2test"
	"macpro/plugins/envs/internal/skirmish"
	"macpro/plugins/envs/internal/skirmish/battle"
)

// A refused action says why, and changes nothing.
func TestUnavailableTargets(t *testing.T) {
	root := sc2test.Install(t, sc2test.Settings{})
	p := newPlayed(open(t, task(t, "3m", skirmish.Liberty()), 1, config(root)))
	refused(t, p.Step([]int{0}, []int32{1, 1, 1}, p.f), "lane 0 has no running episode")
	p.reset(t, 1)
	refused(t, p.Step([]int{0}, []int32{1, 7, 1}, p.f), "test 3m: lane 0, agent 1: action 7 is not available",
		"enemy 1 is 13.95 cells away", "the range of orders is 6")
	refused(t, p.Step([]int{0}, []int32{0, 1, 1}, p.f), "agent 0: action 0 is not available")
	refused(t, p.Step([]int{0}, []int32{9, 1, 1}, p.f), "action 9 is not one of 0 to 8")
	refused(t, p.Step([]int{0}, []int32{1}, p.f), "1 actions for 1 lanes")
	before := slices.Clone(p.f.State)
	refused(t, p.Reset([]int{0}, nil, p.f), "0 seeds for 1 lanes")
	if !slices.Equal(before, p.f.State) {
		t.Error("a refused call changed the state")
	}
	p.lanes[0].roster.table.Agents[0].Health = 0
	p.u = []int32{6, 1, 1}
	refused(t, p.Step([]int{0}, p.u, p.f), "agent 0: action 6 is not available", "the agent is dead")
	p.lanes[0].roster.table.Agents[0].Health = 1
	p.lanes[0].roster.table.Enemies[0].Health = 0
	refused(t, p.Step([]int{0}, p.u, p.f), "enemy 0 is dead")
}

// What stops all lanes alike is told once, what differs is told for each.
func TestToldOnce(t *testing.T) {
	err := together(4, func(i int) error {
		return []error{errors.New("no maps"), errors.New("no maps"), nil, errors.New("no game")}[i]
	})
	if err == nil || err.Error() != "no maps\nno game" {
		t.Errorf("told %q", err)
	}
	if err := together(3, func(int) error { return nil }); err != nil {
		t.Errorf("nothing went wrong: %v", err)
	}
}

// A match is given up in good time before the game's own limit.
func TestLongMatches(t *testing.T) {
	root := sc2test.Install(t, sc2test.Settings{})
	c := config(root)
	c.Replays = filepath.Join(t.TempDir(), "replays")
	p := newPlayed(open(t, task(t, "3m", skirmish.Liberty()), 1, c))
	p.reset(t, 1)
	p.reset(t, 2)
	l := p.lanes[0]
	if l.game.matches != 1 {
		t.Errorf("%d matches for two short episodes", l.game.matches)
	}
	l.game.loop = maxLoops
	p.reset(t, 3)
	if l.game.matches != 2 || l.game.loop >= maxLoops {
		t.Errorf("%d matches, loop %d", l.game.matches, l.game.loop)
	}
	games(t, root, 1)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(c.Replays, "3m-*-*.SC2Replay"))
	if err != nil || len(files) != 2 {
		t.Fatalf("replays %v, %v", files, err)
	}
	for _, f := range files {
		if b, err := os.ReadFile(f); err != nil || !bytes.HasPrefix(b, []byte("MPQ replay of 3m")) {
			t.Errorf("%s holds %q, %v", f, b, err)
		}
	}
}

// Places in the state are relative to the map that the game reports.
func TestMapsOfOtherSizes(t *testing.T) {
	g := &ground{width: 64, height: 48, spanX: 40, spanY: 24}
	units := []battle.Unit{{X: 32, Y: 24}, {X: 52, Y: 12, Health: 3}}
	flat := make([]battle.Unit, 2)
	g.normalise(units, flat)
	want := []battle.Unit{{X: 16, Y: 16}, {X: 32, Y: 0, Health: 3}}
	if !slices.Equal(flat, want) {
		t.Errorf("%v, want %v", flat, want)
	}
}
