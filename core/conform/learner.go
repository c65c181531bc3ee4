package conform

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"macpro/core"
	"macpro/core/conform/mini"
	"macpro/core/episode"
	"macpro/core/rng"
)

// LearnerSubject is a learner's plugin with the task it is tried on, of the
// package mini, and all keys of a run.
type LearnerSubject struct {
	Plugin   core.LearnerPlugin
	Settings core.Settings
}

// Learner runs the suite of team learners on a plugin: on episodes of random
// play, so that nothing is asked about how well it learns.
func Learner(t *testing.T, s LearnerSubject) {
	t.Helper()
	learnerChecks.test(t, s)
}

// LearnerChecks is the suite of team learners; see Learner.
func LearnerChecks(s LearnerSubject) []Check { return learnerChecks.on(s) }

var learnerChecks = suite[LearnerSubject]{
	{"info", func(s LearnerSubject) error { return infoFault(s.Plugin.Info(), s.Settings) }},
	{"determinism", checkLearnerDeterminism},
	{"acting", checkActing},
	{"heads", after(2, checkHeads)},
	{"scopes and penalties", after(0, checkScopes)},
	{"importance", after(1, checkImportance)},
	{"saved state", checkSavedState},
	{"gradients", after(2, checkGradients)},
	{"weights", after(2, checkWeights)},
	{"values", after(2, checkValues)},
}

// after is a check of a learner that has made some gradient steps on episodes.
func after(steps int, check func(core.Learner, []*episode.Episode) error) func(LearnerSubject) error {
	return func(s LearnerSubject) error {
		l, eps, err := s.trained(1, steps)
		if err != nil {
			return err
		}
		return check(l, eps)
	}
}

func (s LearnerSubject) spec() (core.EnvSpec, error) {
	e, err := mini.Env{}.Open("first", 1, s.Settings)
	if err != nil {
		return core.EnvSpec{}, err
	}
	return e.Spec(), e.Close()
}

func (s LearnerSubject) open(seed uint64) (core.Learner, error) {
	spec, err := s.spec()
	if err != nil {
		return nil, err
	}
	return s.Plugin.New(s.Settings, spec, core.LearnerOptions{Source: rng.New(seed), Threads: 1})
}

func (s LearnerSubject) episodes(n int) ([]*episode.Episode, error) {
	e, err := mini.Env{}.Open("first", 1, s.Settings)
	if err != nil {
		return nil, err
	}
	spec, f := e.Spec(), core.NewFrame(e.Spec(), 1)
	var out []*episode.Episode
	for seed := range uint64(n) {
		ts, err := play(e, f, []int{0}, []uint64{seed}, spec.Limit)
		if err != nil {
			return nil, err
		}
		out = append(out, recorded(spec, ts[0], int64(seed)))
	}
	return out, e.Close()
}

// recorded turns what an episode has shown into an episode.
func recorded(s core.EnvSpec, ts transcript, index int64) *episode.Episode {
	e := &episode.Episode{Index: index, T: len(ts) - 1, N: s.Agents, A: s.Actions, ObsWidth: s.ObsWidth, StateWidth: s.StateWidth}
	for t, v := range ts {
		e.Obs, e.State, e.Avail = append(e.Obs, v.obs...), append(e.State, v.state...), append(e.Avail, v.avail...)
		if t > 0 {
			e.Actions, e.Reward = append(e.Actions, v.actions...), append(e.Reward, v.reward)
		}
	}
	e.Terminated = ts[len(ts)-1].terminated
	return e
}

// values computes the action values of the first record of an episode.
func values(l core.Learner, e *episode.Episode, head int32) ([]float32, error) {
	s := core.ActStep{
		Lanes: 1, Obs: e.Obs[:e.N*e.ObsWidth], LastActions: make([]int32, e.N), Heads: make([]int32, e.N),
		Hidden: make([]float32, e.N*l.HiddenWidth()), Q: make([]float32, e.N*e.A),
	}
	for i := range s.LastActions {
		s.LastActions[i], s.Heads[i] = -1, head
	}
	err := l.Act(&s)
	return s.Q, err
}

func bytesOf(l core.Learner) ([]byte, error) {
	var b bytes.Buffer
	err := l.Save(&b)
	return b.Bytes(), err
}

func (s LearnerSubject) trained(seed uint64, steps int) (core.Learner, []*episode.Episode, error) {
	eps, err := s.episodes(6)
	if err != nil {
		return nil, nil, err
	}
	l, err := s.open(seed)
	if err != nil {
		return nil, nil, err
	}
	for range steps {
		if _, err := l.Train(eps); err != nil {
			return nil, nil, err
		}
	}
	return l, eps, nil
}

// checkLearnerDeterminism: one source gives one learner, another another, and
// training changes it.
func checkLearnerDeterminism(s LearnerSubject) error {
	var states [4][]byte
	for i, c := range []struct {
		seed  uint64
		steps int
	}{{1, 3}, {1, 3}, {2, 3}, {1, 0}} {
		l, _, err := s.trained(c.seed, c.steps)
		if err == nil {
			states[i], err = bytesOf(l)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case !bytes.Equal(states[0], states[1]):
		return errors.New("one source, one batch, two learners")
	case bytes.Equal(states[0], states[2]):
		return errors.New("two sources, one learner")
	case bytes.Equal(states[0], states[3]):
		return errors.New("three gradient steps change nothing")
	}
	return nil
}

// checkActing: values are finite, do not depend on what was computed before, and
// training only reads its episodes.
func checkActing(s LearnerSubject) error {
	l, eps, err := s.trained(1, 0)
	if err != nil {
		return err
	}
	first, err := values(l, eps[0], core.LiveHead)
	if err != nil {
		return err
	}
	if _, err := values(l, eps[1], core.LiveHead); err != nil {
		return err
	}
	again, err := values(l, eps[0], core.LiveHead)
	if err != nil {
		return err
	}
	if !sameBits(first, again) {
		return fmt.Errorf("one observation, two values: %v and %v", first, again)
	}
	for _, q := range first {
		if q-q != 0 {
			return fmt.Errorf("the values are not finite: %v", first)
		}
	}
	before := fingerprint(eps...)
	if _, err := l.Train(eps); err != nil {
		return err
	}
	if fingerprint(eps...) != before {
		return errors.New("Train changed its episodes")
	}
	spec, err := s.spec()
	if err != nil {
		return err
	}
	spec.ObsWidth++
	if err := l.SetTask(spec); err == nil {
		return errors.New("a task with wider observations was accepted")
	}
	return nil
}
