package owl

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/continual/internal/bandit"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/learners/qmix"
)

// settings are the method's defaults with changes.
func settings(t testing.TB, changes ...any) core.Settings {
	t.Helper()
	return methodtest.Settings(t, Plugin{}, append([]any{"gamma", 0.9}, changes...)...)
}

func TestConformance(t *testing.T) {
	for _, feedback := range []string{"td_vdn", "return"} {
		t.Run(feedback, func(t *testing.T) {
			conform.Method(t, Plugin{}, settings(t, "owl_feedback", feedback, "fisher_episodes", 6))
		})
	}
	t.Run("td_joint", func(t *testing.T) {
		conform.MethodOn(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "fisher_episodes", 6))
	})
	t.Run("teams of unlike size", func(t *testing.T) {
		methodtest.Uneven(t, Plugin{}, "gamma", 0.9, "owl_feedback", "td_vdn", "new_head", "reset", "bandit_step", 2, "bandit_eps", 0.1)
	})
}

// The first task is Finetuning bit for bit, whatever lambda and however later
// heads start.
func TestFirstTaskIsFinetuning(t *testing.T) {
	play := func(p core.MethodPlugin, changes ...any) string {
		changes = append(changes, "tasks", []string{"first"})
		_, parts, _ := methodtest.Play(t, methodtest.Subject(t, p, qmix.Plugin{}, changes...))
		return methodtest.Tensors(t, parts[continual.PartLearner], "online.", "target.", "rms.")
	}
	want := play(finetuning.Plugin{})
	if want == "" || play(Plugin{}) != want || play(Plugin{}, "ewc_lambda", 1e5, "new_head", "reset") != want {
		t.Error("the first task differs from Finetuning")
	}
}

// Heads and mixers of earlier tasks stay as they were at their tasks' ends.
func TestEarlierHeadsStay(t *testing.T) {
	s := methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "fisher_episodes", 6)
	rec, parts, res := methodtest.Play(t, s)
	if !slices.Equal(res.TaskHeads, []int{0, 1, 2}) || res.Heads != 3 {
		t.Fatalf("heads %v of %d", res.TaskHeads, res.Heads)
	}
	kept := func(part []byte, k string) string { return methodtest.Tensors(t, part, "head"+k+".", "mixer"+k+".") }
	end := parts[continual.PartLearner]
	for i, k := range []string{"0", "1"} {
		// The checkpoint at the end of task i.
		for _, c := range rec.Checkpoints {
			if c.Meta.Reason == continual.ReasonTaskEnd && c.Meta.Task == i+1 && kept(c.Parts[continual.PartLearner], k) != kept(end, k) {
				t.Errorf("head or mixer %s has changed after its task", k)
			}
		}
	}
	for _, k := range []string{"0", "1", "2"} {
		if all := kept(end, k); !strings.Contains(all, "head"+k) || !strings.Contains(all, "mixer"+k) {
			t.Errorf("head or mixer %s was not saved", k)
		}
	}
	if kept(end, "0") == strings.ReplaceAll(strings.ReplaceAll(kept(end, "1"), "head1", "head0"), "mixer1", "mixer0") {
		t.Error("two tasks have one head")
	}
	s.Settings["owl_mixer_snapshot"] = false
	if _, parts, _ = methodtest.Play(t, s); strings.Contains(kept(parts[continual.PartLearner], "0"), "mixer0") {
		t.Error("owl_mixer_snapshot false keeps mixers")
	}
}

// The importance that every task leaves is that of the features.
func TestFisherRows(t *testing.T) {
	rec, _, res := methodtest.Play(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "fisher_episodes", 6))
	rows := 0
	for _, row := range rec.Rows {
		if strings.Contains(row, `"kind":"fisher"`) && strings.Contains(row, `"scope":"features"`) {
			rows++
		}
	}
	if rows != len(res.Tasks) {
		t.Errorf("%d rows for %d tasks", rows, len(res.Tasks))
	}
}

// The rows of tests tell how often each head acted.
func TestArmsAreTold(t *testing.T) {
	for _, feedback := range []string{"td_joint", "td_vdn", "return"} {
		rec, _, _ := methodtest.Play(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "owl_feedback", feedback))
		last := ""
		for _, row := range rec.Rows {
			if strings.Contains(row, `"kind":"test"`) && strings.Contains(row, `"mode":"bandit"`) {
				last = row
			}
		}
		if !strings.Contains(last, `"arms":[0`) || !strings.Contains(last, `"head_accuracy"`) {
			t.Errorf("%s: %s", feedback, last)
		}
	}
}

// The current mixer values the actions of old heads if there are no copies.
func TestArms(t *testing.T) {
	m := &method{heads: []int{0, 1, 2}, cfg: Config{Snapshot: true}}
	if a := m.arms(); a[0].Mixer != 0 || a[1].Head != 1 || a[1].Mixer != 1 || a[2].Head != core.LiveHead || a[2].Mixer != core.LiveHead {
		t.Errorf("with copies %v", a)
	}
	m.cfg.Snapshot = false
	if a := m.arms(); a[0].Head != 0 || a[0].Mixer != core.LiveHead || a[2].Head != core.LiveHead {
		t.Errorf("without copies %v", a)
	}
}

// The mode oracle plays each task with its own head, the latest as it is now,
// and skips tasks that no head belongs to.
func TestOracle(t *testing.T) {
	m := &method{heads: []int{0, 1, 2}}
	for _, c := range []struct {
		task int
		head int32
		skip bool
	}{{0, 0, false}, {1, 1, false}, {2, core.LiveHead, false}, {3, 0, true}, {-1, 0, true}} {
		p, err := m.ChooseHeads(core.Task{Index: c.task, Spec: core.EnvSpec{Agents: 2}}, ModeOracle, core.Evaluation{Episodes: 3})
		if err != nil || p.Skip != c.skip || p.Stepper != nil || (!c.skip && !slices.Equal(p.Heads, slices.Repeat([]int32{c.head}, 6))) {
			t.Errorf("task %d: %+v, %v", c.task, p, err)
		}
	}
}

// The rows of oracle tell the scores of the heads beside those of the bandit,
// for every task that has begun.
func TestOracleRows(t *testing.T) {
	rec, _, res := methodtest.Play(t, methodtest.Subject(t, Plugin{}, qmix.Plugin{}))
	rows := 0
	for _, row := range rec.Rows {
		if strings.Contains(row, `"kind":"test"`) && strings.Contains(row, `"mode":"oracle"`) {
			rows++
		}
	}
	if rows == 0 || !slices.Equal(res.Modes, []string{Mode, ModeOracle}) {
		t.Fatalf("%d rows, modes %v", rows, res.Modes)
	}
	for j, row := range res.R[ModeOracle] {
		for i, score := range row {
			if known := !math.IsNaN(score); known != (i < max(1, j)) {
				t.Errorf("after %d tasks: score %v of task %d", j, score, i)
			}
		}
	}
}

// A later task's head starts as a copy of the live one, which then stays as it
// is, or afresh; the first one is the network's own. Features stay.
func TestNewHeads(t *testing.T) {
	for _, start := range []string{"copy", "reset"} {
		s := methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "new_head", start)
		spec := qlearntest.Spec(2)
		l, err := s.Learner.New(s.Settings, spec, core.LearnerOptions{Source: rng.New(1), Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		m, err := Plugin{}.New(s.Settings, core.Services{Learner: l, Source: rng.New(1)})
		if err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			features, head := l.Parameters(core.ScopeFeatures, nil), l.Parameters(core.ScopeHead, nil)
			if err := m.BeginTask(core.Task{Index: k, Spec: spec}, core.Progress{}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(features, l.Parameters(core.ScopeFeatures, nil)) {
				t.Errorf("%s: the features have changed at the start of task %d", start, k)
			}
			if same := slices.Equal(head, l.Parameters(core.ScopeHead, nil)); same != (k == 0 || start == "copy") {
				t.Errorf("%s: at the start of task %d the live head is the same: %v", start, k, same)
			}
		}
	}
}

// Every key of the bandit reaches it.
func TestKeysOfTheBandit(t *testing.T) {
	s := methodtest.Subject(t, Plugin{}, qmix.Plugin{}, "bandit_lr", 0.5, "bandit_decay", 0.6, "bandit_eps", 0.7, "bandit_step", 8,
		"bandit_greedy", true, "owl_feedback", "return")
	m, err := Plugin{}.New(s.Settings, core.Services{Source: rng.New(1)})
	if err != nil {
		t.Fatal(err)
	}
	want := bandit.Config{LR: 0.5, Decay: 0.6, Eps: 0.7, Step: 8, Greedy: true, Feedback: bandit.Return}
	if got := m.(*method).bandit; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Errors of joint actions need a learner that can value them.
func TestLearnerWithoutMixers(t *testing.T) {
	s := mini.Settings()
	maps.Copy(s, settings(t))
	_, err := (&conform.Record{}).Runner(continual.Options{Env: mini.Env{}, Learner: mini.Learner{}, Method: Plugin{}, Settings: s})
	if err == nil || !strings.Contains(err.Error(), "owl_feedback td_joint needs a learner that values joint actions") {
		t.Errorf("td_joint on a learner without mixers: %v", err)
	}
}
