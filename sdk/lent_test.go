package sdk_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/plugins/continual/agem"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/learners/qmix"
)

// A method in Python reaches everything that a run lends: the learner with its
// abilities, also from a hook and from a stepper, rollouts and the journal. The
// method checks the answers itself.
func TestMethodUsesAllThatIsLent(t *testing.T) {
	p := python[core.MethodPlugin](t, "testdata/uses.py")
	o := continual.Options{Env: mini.Env{}, Learner: qmix.Plugin{}, Method: p, Settings: settings(t, []core.Info{qmix.Plugin{}.Info()})}
	rec := &conform.Record{}
	_, res := played(t, rec, o, nil)
	for _, mode := range []string{"turns", "single"} {
		if res.R[mode] == nil {
			t.Errorf("no scores in mode %s", mode)
		}
	}
	rows := strings.Join(rec.Rows, "\n")
	for _, want := range []string{
		`"all":[1,true,null]`, `"more":{"x":0.1}`, `"name":"turns"`, `"share":0.5`, // fields of a test
		`"kind":"heads"`, `"head":2`,
	} {
		if !strings.Contains(rows, want) {
			t.Errorf("no row has %s", want)
		}
	}
	pairing := core.Pairing{Learner: "x", Method: "uses", Settings: o.Settings, Abilities: []string{core.AbilityExport, core.AbilityValues}}
	const says = "method uses needs a learner that can gradients, weights, and learner x cannot"
	if err := p.(core.Matcher).Match(pairing); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("want %q, got %v", says, err)
	}
}

// What a method in Python raises ends the run with its words; divergence is
// known as such.
func TestErrorsOfAPythonMethod(t *testing.T) {
	for how, says := range map[string]string{
		"fails": "Trained: KeyError: 'it fails on purpose'", "diverges": "it has diverged on purpose",
	} {
		t.Setenv("USES", how)
		p := started(t, "testdata/uses.py").(core.MethodPlugin)
		r, err := (&conform.Record{}).Runner(continual.Options{
			Env: mini.Env{}, Learner: qmix.Plugin{}, Method: p, Settings: settings(t, []core.Info{qmix.Plugin{}.Info()}),
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Run(context.Background())
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want %q, got %v", says, err)
		}
		var n *core.NotFiniteError
		if errors.As(err, &n) != (how == "diverges") {
			t.Errorf("%s: %v is divergence: %v", how, err, how != "diverges")
		}
		r.Close()
	}
}

// A-GEM edits the steps of a learner in Python: every step asks it for another
// gradient while the edited one is waited for.
func TestEditedStepsOfAPythonLearner(t *testing.T) {
	p := python[core.LearnerPlugin](t, "testdata/able.py")
	s := settings(t, []core.Info{p.Info(), agem.Plugin{}.Info(), finetuning.Plugin{}.Info()}, "agem_batch", 4)
	var ends [3]map[string][]byte
	for i, m := range []core.MethodPlugin{agem.Plugin{}, agem.Plugin{}, finetuning.Plugin{}} {
		ends[i], _ = played(t, &conform.Record{}, continual.Options{Env: mini.Env{}, Learner: p, Method: m, Settings: s}, nil)
	}
	if err := conform.SameParts(ends[0], ends[1]); err != nil {
		t.Errorf("one seed, two runs: %v", err)
	}
	if bytes.Equal(ends[0][continual.PartLearner], ends[2][continual.PartLearner]) {
		t.Error("A-GEM changes nothing here")
	}
}
