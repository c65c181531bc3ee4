package qlearn_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/plugins/learners/vdn"
)

// With a given number of shards the bits are those of one thread, whatever the
// number of threads, also for batches with fewer episodes than shards. Another
// number of shards adds up in another order.
func TestShardsAndThreads(t *testing.T) {
	spec := qlearntest.Spec(2)
	states := map[int][]byte{}
	for _, shards := range []int{2, 4, 8} {
		for _, threads := range []int{1, 2, 3, 4, 8} {
			if threads > shards {
				continue
			}
			l := learner(t, "qmix", spec, with("shards", shards), threads)
			from := rng.New(4).Stream()
			for _, n := range []int{16, 3, 1, 9} {
				var eps []*episode.Episode
				for i := range n {
					eps = append(eps, qlearntest.Episode(from, spec, 1+from.Intn(spec.Limit), int64(i)))
				}
				train(t, l, eps)
				importance, err := l.Importance(eps, core.ImportanceTDLoss)
				must(t, err)
				must(t, l.SetPenalties([]core.Penalty{{Scope: core.ScopeAgent, Anchor: l.Parameters(core.ScopeAgent, nil), Importance: importance, Coef: 1}}))
			}
			got := bytesOf(t, l)
			if states[shards] == nil {
				states[shards] = got
			}
			if !bytes.Equal(got, states[shards]) {
				t.Errorf("%d shards: %d threads give other bits than one", shards, threads)
			}
		}
	}
	if bytes.Equal(states[2], states[4]) || bytes.Equal(states[4], states[8]) {
		t.Error("the number of shards plays no part")
	}
}

func TestShardsThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		shards, threads int
		says            string
	}{{3, 1, "3 shards, want 2, 4 or 8"}, {2, 4, "4 threads, want 1 to 2"}, {4, 0, "0 threads, want 1 to 4"}} {
		t.Run(fmt.Sprint(c.shards, c.threads), func(t *testing.T) {
			s, err := qlearntest.Settings(with("shards", c.shards))
			must(t, err)
			_, err = qlearn.New(s, qlearntest.Spec(2), core.LearnerOptions{Source: rng.New(1), Threads: c.threads}, vdn.Mixer)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
		})
	}
}
