package conform

import (
	"io"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform/mini"
	"macpro/core/episode"
)

// slipping makes learners with one fault.
type slipping struct {
	mini.Learner
	slip func(core.Learner) core.Learner
}

func (p slipping) Info() core.Info {
	i := p.Learner.Info()
	i.Config = []byte("# nothing\n")
	return i
}

func (p slipping) New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	l, err := p.Learner.New(s, spec, o)
	if p.slip != nil {
		l = p.slip(l)
	}
	return l, err
}

func TestLearner(t *testing.T) {
	Learner(t, LearnerSubject{slipping{}, mini.Settings()})
}

// Every check finds the fault that it is there for.
func TestLearnerFaults(t *testing.T) {
	faults := map[string]func(core.Learner) core.Learner{
		"determinism":          func(l core.Learner) core.Learner { return idle{l} },
		"acting":               func(l core.Learner) core.Learner { return scribbler{l} },
		"heads":                func(l core.Learner) core.Learner { return forgetful{l} },
		"scopes and penalties": func(l core.Learner) core.Learner { return free{l} },
		"importance":           func(l core.Learner) core.Learner { return negative{l} },
		"saved state":          func(l core.Learner) core.Learner { return stateless{l} },
	}
	for _, c := range learnerChecks[1:] {
		slip, ok := faults[c.name]
		if !ok {
			if slices.Contains([]string{"gradients", "weights", "values"}, c.name) {
				continue // the mini-learner has not got these abilities, see TestOpenLearnerFaults
			}
			t.Errorf("no fault for the check %q", c.name)
			continue
		}
		if err := c.keep(LearnerSubject{slipping{slip: slip}, mini.Settings()}); err == nil {
			t.Errorf("the check %q misses its fault", c.name)
		}
	}
	if err := learnerChecks[0].keep(LearnerSubject{unset{}, mini.Settings()}); err == nil || !strings.Contains(err.Error(), "no configuration with their defaults") {
		t.Errorf("a plugin with a key and no default for it: %v", err)
	}
}

// unset has a key without a default.
type unset struct{ mini.Learner }

func (unset) Info() core.Info {
	i := mini.Learner{}.Info()
	i.Config, i.Schema = nil, []core.Field{{Key: "seed", Kind: core.Int, Help: "a key"}}
	return i
}

type idle struct{ core.Learner }

func (idle) Train([]*episode.Episode) (core.TrainStats, error) { return core.TrainStats{}, nil }

type scribbler struct{ core.Learner }

func (s scribbler) Train(b []*episode.Episode) (core.TrainStats, error) {
	st, err := s.Learner.Train(b)
	b[0].Reward[0]++
	return st, err
}

type forgetful struct{ core.Learner }

func (forgetful) LoadHead(int) error { return nil }

type free struct{ core.Learner }

func (free) SetPenalties([]core.Penalty) error { return nil }

type negative struct{ core.Learner }

func (n negative) Importance(b []*episode.Episode, src core.ImportanceSource) ([]float32, error) {
	x, err := n.Learner.Importance(b, src)
	if err == nil {
		x[0] = -1
	}
	return x, err
}

type stateless struct{ core.Learner }

func (stateless) Load(io.Reader) error { return nil }
