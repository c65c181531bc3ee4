package conform

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"macpro/core"
	"macpro/core/conform/mini"
	"macpro/core/continual"
)

// Method runs the suite of continual methods on p, in whole runs of the package
// mini's environment and a learner of it that the method can use. s holds the method's own keys.
func Method(t *testing.T, p core.MethodPlugin, s core.Settings, skip ...string) {
	t.Helper()
	all := mini.Settings()
	maps.Copy(all, s)
	MethodOn(t, MethodSubject{p, mini.Env{}, LearnerFor(p, all), all}, skip...)
}

// LearnerFor is the learner that a method is tried on: the linear learner of
// package mini. If the method refuses it, mini's learner with all optional
// abilities takes its place.
func LearnerFor(p core.MethodPlugin, s core.Settings) core.LearnerPlugin {
	m, ok := p.(core.Matcher)
	if !ok {
		return mini.Learner{}
	}
	q := core.Pairing{Env: mini.Env{}.Info().Name, Learner: mini.Learner{}.Info().Name, Method: p.Info().Name, Settings: s}
	if list, err := (mini.Env{}).Tasks(s); err == nil {
		for _, name := range list.Sequences["train"] {
			if e, err := (mini.Env{}).Open(name, 1, s); err == nil {
				q.Tasks = append(q.Tasks, e.Spec())
			}
		}
	}
	if m.Match(q) != nil {
		return mini.Recurrent{}
	}
	return mini.Learner{}
}

// MethodSubject is a method with what it is run on. Its settings hold all keys
// of a run that is short: the suite plays it about twenty times.
type MethodSubject struct {
	Plugin   core.MethodPlugin
	Env      core.EnvPlugin
	Learner  core.LearnerPlugin
	Settings core.Settings
}

// MethodOn is Method on another environment and learner.
func MethodOn(t *testing.T, s MethodSubject, skip ...string) {
	t.Helper()
	methodChecks.test(t, s, skip...)
}

// MethodChecks is the suite of continual methods; see MethodOn.
func MethodChecks(s MethodSubject) []Check { return methodChecks.on(s) }

var methodChecks = suite[MethodSubject]{
	{"info", func(s MethodSubject) error { return infoFault(s.Plugin.Info(), s.Settings) }},
	{"calls", checkCalls},
	{"modes", checkModes},
	{"purity", checkPurity},
	{"determinism", checkDeterminism},
	{"resume", checkResume},
	{"hidden", checkHidden},
	{"damaged state", checkDamagedState},
}

// options are those of a run of the subject with changed keys.
func (s MethodSubject) options(changes ...any) continual.Options {
	all := maps.Clone(s.Settings)
	for i := 0; i+1 < len(changes); i += 2 {
		all[changes[i].(string)] = changes[i+1]
	}
	return continual.Options{Env: s.Env, Learner: s.Learner, Method: s.Plugin, Settings: all}
}

// checkPurity: more, fewer and longer tests change neither learner nor method.
func checkPurity(s MethodSubject) error {
	want, _, err := (&Record{}).Play(s.options(), nil)
	if err != nil {
		return err
	}
	for _, change := range [][]any{{"test_interval", 1 << 40, "boundary_full_test", false}, {"test_interval", 7, "test_nepisode", 9}} {
		got, _, err := (&Record{}).Play(s.options(change...), nil)
		if err != nil {
			return err
		}
		if err := SameParts(want, got, continual.PartRun); err != nil {
			return fmt.Errorf("with %v after training: %w; choosing heads must not change what training sees", change, err)
		}
	}
	return nil
}

// checkDeterminism: one seed gives one run, another seed another.
func checkDeterminism(s MethodSubject) error {
	var records [3]Record
	var parts [3]map[string][]byte
	for i := range records {
		seed := s.Settings["seed"]
		if i == 2 {
			seed = 12345
		}
		var err error
		if parts[i], _, err = records[i].Play(s.options("seed", seed), nil); err != nil {
			return err
		}
	}
	if err := SameRows(records[0].Rows, records[1].Rows); err != nil {
		return fmt.Errorf("one seed, two runs: %w", err)
	}
	if err := SameParts(parts[0], parts[1]); err != nil {
		return fmt.Errorf("one seed, two runs: %w", err)
	}
	if SameParts(parts[0], parts[2]) == nil {
		return errors.New("two seeds, one run")
	}
	return nil
}

// checkResume: a run that goes on from a checkpoint ends like one that was
// never stopped. Checkpoints are taken at every episode; all at the ends of
// tasks and about a dozen others are tried.
func checkResume(s MethodSubject) error {
	whole := &Record{}
	o := s.options("checkpoint_interval", 1)
	end, _, err := whole.Play(o, nil)
	if err != nil {
		return err
	}
	stride := len(whole.Checkpoints)/12 + 1
	for i, c := range whole.Checkpoints {
		if i%stride != 0 && c.Meta.Reason == continual.ReasonInterval {
			continue
		}
		again := whole.From(c)
		parts, _, err := again.Play(o, &c)
		if err == nil {
			err = SameRows(whole.Rows, again.Rows)
		}
		if err == nil {
			err = SameParts(end, parts)
		}
		if err != nil {
			return fmt.Errorf("resumed at t_env %d (%s): %w", c.Meta.TEnv, c.Meta.Reason, err)
		}
	}
	return nil
}

// checkDamagedState: a state that is not one is an error, not a panic.
func checkDamagedState(s MethodSubject) error {
	rec := &Record{}
	if _, _, err := rec.Play(s.options(), nil); err != nil {
		return err
	}
	good := rec.Checkpoints[0].Parts
	for what, state := range map[string][]byte{
		"an empty state":         nil,
		"half a state":           good[continual.PartMethod][:len(good[continual.PartMethod])/2],
		"the state of a learner": good[continual.PartLearner],
	} {
		bad := maps.Clone(good)
		bad[continual.PartMethod] = state
		if err := loadInto(s, bad); err == nil {
			return fmt.Errorf("%s was loaded without an error", what)
		}
	}
	return nil
}

func loadInto(s MethodSubject, parts map[string][]byte) (err error) {
	r, err := (&Record{}).Runner(s.options())
	if err != nil {
		return nil // found by the other checks
	}
	return errors.Join(LoadParts(r, parts), r.Close())
}
