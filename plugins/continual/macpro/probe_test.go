package macpro

import (
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/episode"
)

// again plays the last request for a purpose once more: the same episodes.
func (w *world) again(purpose string) []*episode.Episode {
	w.t.Helper()
	for _, r := range slices.Backward(w.requests) {
		if r.Purpose == purpose {
			eps, err := w.rollouts.Run(r)
			w.must(err)
			return eps
		}
	}
	w.t.Fatalf("no request for %q", purpose)
	return nil
}

// says is what a reader makes of episodes.
func (w *world) says(r *reader, eps []*episode.Episode) [][]float32 {
	w.t.Helper()
	means, err := r.means(eps)
	w.must(err)
	return means
}

// placed sets the centers of heads 0, 1 and so on.
func (w *world) placed(means ...[]float32) {
	w.m.cached = nil
	for k, mean := range means {
		w.m.cached = append(w.m.cached, center{head: k, mean: mean})
	}
}

// Every agent chooses by what f says of its own observations, and in the
// diagnostic mode the whole team by what g says of the states. Head 1 is live.
func TestWhoChoosesByWhat(t *testing.T) {
	w := trained(t, "center_mode", "cached")
	w.plan(0, "first", ModeCTDE)
	own := w.says(w.m.trainer.readF, w.again("probe")) // [episodes*agents]
	// Agent 0 was at the center of head 1 in the second episode, agent 1 at that
	// of head 0 in the third.
	w.placed(own[2*2+1], own[1*2+0])
	if got := w.plan(0, "first", ModeCTDE).Heads[:2]; !slices.Equal(got, []int32{core.LiveHead, 0}) {
		t.Errorf("agents chose heads %v, want the live one and 0", got)
	}
	w.plan(0, "first", ModeCTCE)
	eps := w.again("probe")
	states := w.says(w.m.trainer.readG, eps)
	w.placed(states[1], w.says(w.m.trainer.readF, eps)[0])
	if got := w.plan(0, "first", ModeCTCE).Heads[:2]; !slices.Equal(got, []int32{0, 0}) {
		t.Errorf("the team chose heads %v by its states, want 0", got)
	}
}

// A head's distance is its smallest over the probing episodes, or their mean:
// the context farthest from the others is nearest to itself, but farther from
// all than their middle.
func TestProbesAreJoined(t *testing.T) {
	for use, want := range map[string]int32{"min": 0, "mean": core.LiveHead} {
		w := trained(t, "center_mode", "cached", "probe_aggregate", use)
		w.plan(0, "first", ModeCTDE)
		var own [][]float32 // of agent 0
		for i, x := range w.says(w.m.trainer.readF, w.again("probe")) {
			if i%2 == 0 {
				own = append(own, x)
			}
		}
		farthest := slices.MaxFunc(own, func(a, b []float32) int {
			if (center{mean: a}).distance(own) < (center{mean: b}).distance(own) {
				return -1
			}
			return 1
		})
		w.placed(farthest, centerOf(1, own).mean)
		if got := w.plan(0, "first", ModeCTDE).Heads[0]; got != want {
			t.Errorf("probe_aggregate %s: head %d, want %d", use, got, want)
		}
	}
}

// Centers that are played anew come from every task with its own head.
func TestCentersArePlayedWithTheTasksHeads(t *testing.T) {
	w := trained(t, "gen_center_source", "rollout", "eval_current_head", "saved")
	w.plan(-1, "late", ModeCTDE)
	var tasks []string
	for _, r := range w.requests {
		if r.Purpose != "centers" {
			continue
		}
		if want := repeated(int32(len(tasks)), len(r.Heads)); len(r.Heads) != 4*2 || !slices.Equal(r.Heads, want) {
			t.Errorf("task %s was played with heads %v, want %v", r.Task, r.Heads, want)
		}
		tasks = append(tasks, r.Task)
	}
	if !slices.Equal(tasks, []string{"first", "second"}) {
		t.Errorf("centers of %v", tasks)
	}
}
