package conform

import (
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/plugins/learners/vdn"
)

// opening makes learners of package qlearn with one fault.
type opening struct {
	vdn.Plugin
	slip func(*qlearn.Learner) core.Learner
}

func (p opening) New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	l, err := p.Plugin.New(s, spec, o)
	if err != nil || p.slip == nil {
		return l, err
	}
	return p.slip(l.(*qlearn.Learner)), nil
}

func opened(t *testing.T, slip func(*qlearn.Learner) core.Learner) LearnerSubject {
	t.Helper()
	s, err := qlearntest.Settings(core.Settings{"mlp_hidden": 8, "mlp_layers": 2, "rnn_hidden_dim": 6})
	if err != nil {
		t.Fatal(err)
	}
	return LearnerSubject{opening{slip: slip}, s}
}

// A learner with all abilities passes the suite.
func TestOpenLearner(t *testing.T) { Learner(t, opened(t, nil)) }

// So does one with a network for each agent.
func TestSeparateLearner(t *testing.T) {
	s := opened(t, nil)
	s.Settings["sharing"] = "none"
	Learner(t, s)
}

// The checks of abilities find what is wrong with one.
func TestOpenLearnerFaults(t *testing.T) {
	for name, c := range map[string]struct {
		check string
		slip  func(*qlearn.Learner) core.Learner
	}{
		"the gradient is not appended": {"gradients", func(l *qlearn.Learner) core.Learner { return overwriting{l} }},
		"the hook is lost":             {"gradients", func(l *qlearn.Learner) core.Learner { return hookless{l} }},
		"the term is lost":             {"gradients", func(l *qlearn.Learner) core.Learner { return termless{l} }},
		"the term forgets its head":    {"gradients", func(l *qlearn.Learner) core.Learner { return headless{l} }},
		"fixed weights move":           {"weights", func(l *qlearn.Learner) core.Learner { return thawed{l} }},
		"weights are not written":      {"weights", func(l *qlearn.Learner) core.Learner { return readonly{l} }},
		"units are not reset":          {"weights", func(l *qlearn.Learner) core.Learner { return worn{l} }},
		"values of another time":       {"values", func(l *qlearn.Learner) core.Learner { return late{l} }},
		"values change the learner":    {"values", func(l *qlearn.Learner) core.Learner { return busy{l} }},
	} {
		if err := one(t, learnerChecks, c.check, opened(t, c.slip)); err == nil {
			t.Errorf("%s: the check %q misses it", name, c.check)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}

type overwriting struct{ *qlearn.Learner }

func (l overwriting) Gradient(s core.Scope, b []*episode.Episode, dst []float32) ([]float32, error) {
	return l.Learner.Gradient(s, b, dst[:0])
}

type hookless struct{ *qlearn.Learner }

func (hookless) SetGradientHook(func([]float32) error) error { return nil }

type termless struct{ *qlearn.Learner }

func (termless) SetValueTerm(core.ValueTerm) error { return nil }

type headless struct{ *qlearn.Learner }

func (l headless) SetValueTerm(t core.ValueTerm) error {
	t.Head = nil
	return l.Learner.SetValueTerm(t)
}

type thawed struct{ *qlearn.Learner }

func (thawed) SetFrozen([]bool) error { return nil }

type readonly struct{ *qlearn.Learner }

func (readonly) SetParameters(core.Scope, []float32) error { return nil }

type worn struct{ *qlearn.Learner }

func (worn) ResetUnits(string, []int) error { return nil }

type late struct{ *qlearn.Learner }

func (l late) EpisodeValues(b []*episode.Episode, agent []float32) ([][]float32, error) {
	v, err := l.Learner.EpisodeValues(b, agent)
	if err == nil {
		v[0][0], v[0][1] = v[0][1]+1, v[0][0]
	}
	return v, err
}

type busy struct{ *qlearn.Learner }

func (l busy) EpisodeValues(b []*episode.Episode, agent []float32) ([][]float32, error) {
	if _, err := l.Train(b); err != nil {
		return nil, err
	}
	return l.Learner.EpisodeValues(b, agent)
}
