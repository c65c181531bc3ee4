package rollout

import (
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/conform/mini"
	"macpro/core/episode"
)

// learningStepper uses head 1 in the episode after a success, else head 0, which
// needs episodes one after the other.
type learningStepper struct {
	core.Unwatched
	t     *testing.T
	alone bool // episodes play one after the other
	wave  int  // most lanes seen at once
	ended []int
	next  int32
}

func (s *learningStepper) StepHeads(v *core.StepView, heads []int32) error {
	s.wave = max(s.wave, len(v.Episodes))
	if s.alone && v.Episodes[0] != len(s.ended) {
		s.t.Errorf("episode %d plays when %d have ended", v.Episodes[0], len(s.ended))
	}
	for i := range heads {
		heads[i] = s.next
	}
	return nil
}

func (s *learningStepper) EpisodeEnded(number int, e *episode.Episode) error {
	s.ended = append(s.ended, number)
	s.next = 0
	if e.Return() > 0 {
		s.next = 1
	}
	return nil
}

// A stepper that asks for it sees episodes one after the other and is told the
// end of each before the next begins; the episodes are those of any wave.
func TestEpisodesOneAfterTheOther(t *testing.T) {
	l := newLearner(t, mini.Learner{}, "second")
	for range 2 {
		if _, err := l.NewHead(core.HeadReset); err != nil {
			t.Fatal(err)
		}
	}
	heads := map[int32]bool{}
	for _, together := range []int{1, 3, 0} {
		s := &learningStepper{t: t, alone: together == 1}
		pl := plan(12, 0.5, 0)
		pl.Stepper, pl.Together = s, together
		before := int32(0)
		err := newPlayer(t, mini.Env{}, l, "second", 5).Play(pl, func(i int, e *episode.Episode, acted []int32) error {
			if together == 1 {
				if acted[0] != before {
					t.Errorf("episode %d was played with head %d, want %d", i, acted[0], before)
				}
				heads[acted[0]], before = true, s.next
			}
			return nil
		})
		if want := map[int]int{1: 1, 3: 3, 0: 5}[together]; err != nil || s.wave != want || len(s.ended) != 12 || !slices.IsSorted(s.ended) {
			t.Errorf("together %d: up to %d side by side, ends %v, %v", together, s.wave, s.ended, err)
		}
	}
	if len(heads) != 2 {
		t.Errorf("the test needs successes and failures, heads used: %v", heads)
	}
}
