package rollout

import (
	"errors"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/conform/mini"
	"macpro/core/episode"
)

// A watcher sees every state of every episode once, with the heads that acted,
// and changes nothing.
func TestWatch(t *testing.T) {
	l := newLearner(t, mini.Learner{}, "first")
	if _, err := l.NewHead(core.HeadReset); err != nil {
		t.Fatal(err)
	}
	const episodes = 7
	pl := plan(episodes, 0, 0)
	for i := range episodes * 2 {
		pl.Heads = append(pl.Heads, int32(i%2)-1)
	}
	var want []int
	err := newPlayer(t, mini.Env{}, l, "first", 3).Play(pl, func(_ int, e *episode.Episode, _ []int32) error {
		want = append(want, e.T)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]int, episodes) // the time of the next state
	again := plan(episodes, 0, 0)
	again.Heads = pl.Heads
	again.Watch = func(m Moment) error {
		if m.T != seen[m.Episode] || m.Ended != (m.T == want[m.Episode]) || !slices.Equal(m.Heads, []int32{-1, 0}) || m.Env == nil {
			t.Errorf("want time %d, heads [-1 0] and an end at %d: %+v", seen[m.Episode], want[m.Episode], m)
		}
		seen[m.Episode]++
		return nil
	}
	err = newPlayer(t, mini.Env{}, l, "first", 3).Play(again, func(i int, e *episode.Episode, _ []int32) error {
		if e.T != want[i] || seen[i] != e.T+1 {
			t.Errorf("episode %d: %d steps, %d states, want %d steps", i, e.T, seen[i], want[i])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	bad := errors.New("enough")
	for until := range 2 {
		again.Watch = func(m Moment) error {
			if m.T == until {
				return bad
			}
			return nil
		}
		if err := newPlayer(t, mini.Env{}, l, "first", 3).Play(again, nil); !errors.Is(err, bad) {
			t.Errorf("at time %d: %v", until, err)
		}
	}
}
