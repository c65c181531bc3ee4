package rollout

import (
	"testing"

	"macpro/core"
	"macpro/core/conform/mini"
	"macpro/core/episode"
)

// witness is an environment that writes down what it shows, by the seeds of its
// episodes.
type witness struct {
	core.Env
	seeds map[int]uint64 // of the running episodes, by lane
	shown map[uint64]*episode.Episode
	cut   map[uint64]bool
}

func (w *witness) Reset(lanes []int, seeds []uint64, f *core.Frame) error {
	if err := w.Env.Reset(lanes, seeds, f); err != nil {
		return err
	}
	s := w.Spec()
	for i, k := range lanes {
		w.seeds[k] = seeds[i]
		w.shown[seeds[i]] = &episode.Episode{
			Task: 2, Head: 5, Seed: seeds[i], N: s.Agents, A: s.Actions, ObsWidth: s.ObsWidth, StateWidth: s.StateWidth,
		}
		w.see(k, f)
	}
	return nil
}

func (w *witness) Step(lanes []int, actions []int32, f *core.Frame) error {
	if err := w.Env.Step(lanes, actions, f); err != nil {
		return err
	}
	n := w.Spec().Agents
	for _, k := range lanes {
		e := w.shown[w.seeds[k]]
		e.T++
		e.Actions = append(e.Actions, actions[k*n:(k+1)*n]...)
		e.Reward = append(e.Reward, f.Reward[k])
		e.Terminated, e.Won = f.Terminated[k], f.Won[k]
		w.cut[e.Seed] = f.Truncated[k]
		w.see(k, f)
	}
	return nil
}

func (w *witness) see(k int, f *core.Frame) {
	s, e := w.Spec(), w.shown[w.seeds[k]]
	e.Obs = append(e.Obs, f.Obs[k*s.Agents*s.ObsWidth:(k+1)*s.Agents*s.ObsWidth]...)
	e.State = append(e.State, f.State[k*s.StateWidth:(k+1)*s.StateWidth]...)
	e.Avail = append(e.Avail, f.Avail[k*s.Agents*s.Actions:(k+1)*s.Agents*s.Actions]...)
}

// An episode holds what the environment has shown and paid, the state and the
// record after the last action included. One that was only cut is not terminal.
func TestEpisodesHoldWhatWasShown(t *testing.T) {
	env, err := mini.Env{}.Open("first", 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{Env: env, seeds: map[int]uint64{}, shown: map[uint64]*episode.Episode{}, cut: map[uint64]bool{}}
	cut, whole := 0, 0
	for i, e := range play(t, NewPlayer(w, newLearner(t, mini.Learner{}, "first"), 5), plan(40, 0.4, 0.5)) {
		want := w.shown[e.Seed]
		want.Index = int64(i)
		if !same(e, want) {
			t.Errorf("episode %d holds\n%v, shown was\n%v", i, *e, *want)
		}
		if w.cut[e.Seed] {
			cut++
		} else {
			whole++
		}
	}
	if cut == 0 || whole == 0 {
		t.Errorf("%d episodes were cut, %d ended", cut, whole)
	}
}
