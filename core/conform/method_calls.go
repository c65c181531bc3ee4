package conform

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"macpro/core"
	"macpro/core/continual"
)

// checkCalls plays a run with every call watched.
func checkCalls(s MethodSubject) error {
	batches, tests := 0, 0
	s.Plugin = guarded{s.Plugin, &batches, &tests}
	o := s.options("train_steps_per_episode", 2)
	before := maps.Clone(o.Settings)
	if _, _, err := (&Record{}).Play(o, nil); err != nil {
		return err
	}
	if err := sameSettings(before, o.Settings); err != nil {
		return err
	}
	if batches == 0 || tests == 0 {
		return fmt.Errorf("a whole run had %d gradient steps and %d tests", batches, tests)
	}
	return nil
}

// checkModes: the modes are named once, the first is defined for every seen
// task, a misspelt one is an error that quotes it, and tasks outside of the
// sequence can be tested.
func checkModes(s MethodSubject) error {
	return errors.Join(checkScores(s), unknownMode(s))
}

// checkScores is the part of checkModes that needs no wrong mode.
func checkScores(s MethodSubject) (err error) {
	r, err := (&Record{}).Runner(s.options())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := distinct("modes", r.Modes()); err != nil {
		return err
	}
	if _, err := r.Run(context.Background()); err != nil {
		return err
	}
	matrix := r.Result().R[r.Modes()[0]]
	for j, row := range matrix[1:] {
		for i, x := range row[:j+1] {
			if math.IsNaN(x) {
				return fmt.Errorf("mode %s has no score for task %d after task %d", r.Modes()[0], i, j)
			}
		}
	}
	results, err := r.Evaluate(context.Background(), continual.EvalOptions{Generalization: true})
	if err != nil {
		return err
	}
	list, err := s.Env.Tasks(s.Settings)
	if err != nil {
		return err
	}
	for _, task := range list.Generalization {
		if !slices.ContainsFunc(results, func(t continual.TestResult) bool { return t.Task == task }) {
			return fmt.Errorf("no mode is defined for task %s outside of the sequence", task)
		}
	}
	return nil
}

// unknownMode: a mode that does not exist is an error that quotes it.
func unknownMode(s MethodSubject) error {
	probe := &misspelt{MethodPlugin: s.Plugin}
	s.Plugin = probe
	_, _, err := (&Record{}).Play(s.options(), nil)
	switch {
	case err != nil:
		return err
	case probe.err == nil:
		return errors.New("an unknown test mode was accepted")
	case !strings.Contains(probe.err.Error(), `"no such mode"`):
		return fmt.Errorf("the error for an unknown test mode must quote it: %v", probe.err)
	}
	return nil
}

// misspelt asks its method for a mode that does not exist, once.
type misspelt struct {
	core.MethodPlugin
	core.Method
	asked bool
	err   error
}

func (p *misspelt) Info() core.Info { return p.MethodPlugin.Info() }

func (p *misspelt) New(s core.Settings, sv core.Services) (core.Method, error) {
	m, err := p.MethodPlugin.New(s, sv)
	p.Method = m
	return p, err
}

func (p *misspelt) ChooseHeads(t core.Task, mode string, ev core.Evaluation) (core.HeadPlan, error) {
	if !p.asked {
		p.asked = true
		_, p.err = p.Method.ChooseHeads(t, "no such mode", ev)
	}
	return p.Method.ChooseHeads(t, mode, ev)
}
