package remote_test

import (
	"fmt"
	"os"
	"testing"

	"macpro/core"
	"macpro/core/conform/mini"
	"macpro/core/episode"
	"macpro/registry/remote"
)

// evilLearner misbehaves in the tenth gradient step, evilMethod in the episode
// after ten.
type (
	evilLearner struct {
		mini.Learner
		name string
		do   func() error
	}
	evilMethod struct {
		describedMethod
		name string
		do   func() error
	}
)

// evilParts are learners and methods that misbehave while they are used.
func evilParts() map[string]any {
	return map[string]any{
		"learner/wide":     wideLearner{},
		"learner/trips":    evilLearner{name: "trips", do: func() error { panic("out of cheese") }},
		"learner/stalls":   evilLearner{name: "stalls", do: func() error { select {} }},
		"learner/diverges": evilLearner{name: "diverges", do: func() error { return core.NotFinite("the loss is NaN") }},
		"method/diverges":  evilMethod{name: "diverges", do: func() error { return fmt.Errorf("encoder: %w", core.NotFinite("the loss is NaN")) }},
		"method/trips":     evilMethod{name: "trips", do: func() error { panic("out of cheese") }},
		"method/stalls":    evilMethod{name: "stalls", do: func() error { select {} }},
		"method/leaves":    evilMethod{name: "leaves", do: func() error { fmt.Fprintln(os.Stderr, "no more money"); os.Exit(3); return nil }},
	}
}

func (p evilLearner) Info() core.Info {
	i := p.Learner.Info()
	i.Name = p.name
	return i
}

func (p evilLearner) New(s core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	l, err := p.Learner.New(s, spec, o)
	return &badLearner{l, p.do, 0}, err
}

type badLearner struct {
	core.Learner
	do    func() error
	steps int
}

func (l *badLearner) Train(batch []*episode.Episode) (core.TrainStats, error) {
	if l.steps++; l.steps == 10 {
		if err := l.do(); err != nil {
			return core.TrainStats{}, err
		}
	}
	return l.Learner.Train(batch)
}

func (p evilMethod) Info() core.Info {
	i := p.describedMethod.Info()
	i.Name = p.name
	return i
}

func (p evilMethod) New(s core.Settings, sv core.Services) (core.Method, error) {
	m, err := p.describedMethod.New(s, sv)
	return &badMethod{m, p.do}, err
}

type badMethod struct {
	core.Method
	do func() error
}

func (m *badMethod) Collected(e *episode.Episode, p core.Progress) error {
	if p.Episode > 10 {
		if err := m.do(); err != nil {
			return err
		}
	}
	return m.Method.Collected(e, p)
}

// A learner or a method that misbehaves ends its run, too, with an error that
// names it, the call and the place, and leaves the checkpoints from before.
func TestEvilPartsEndTheirRun(t *testing.T) {
	t.Parallel()
	for name, says := range map[string][]string{
		"learner/trips":    {"Train: panic: out of cheese"},
		"learner/stalls":   {"Train: no answer within 5s"},
		"method/trips":     {"Collected: panic: out of cheese"},
		"method/stalls":    {"Collected: no answer within 5s"},
		"learner/diverges": {"the run has diverged: ", "Train: the loss is NaN"},
		"method/diverges":  {"the run has diverged: ", "Collected: encoder: the loss is NaN"},
		"method/leaves":    {"Collected: the process has ended with exit status 3", "no more money"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := launch(name)
			limits(&l, says[0])
			p, err := remote.New(l)
			if err != nil {
				t.Fatal(err)
			}
			o := with(cast(), p)
			o.Settings = mini.Settings("checkpoint_interval", 10)
			within(t, patience, func() { err = playEvil(t, o); p.Close() })
			wants(t, err, append(says, "plugin "+name, "t_env ")...)
		})
	}
}
