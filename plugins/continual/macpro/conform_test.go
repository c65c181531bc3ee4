package macpro

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/core/episode"
	"macpro/core/safetensors"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/learners/qmix"
)

func TestConformance(t *testing.T) { conform.Method(t, Plugin, small(t)) }

// The same with everything that can be switched on.
func TestConformanceOfOtherSettings(t *testing.T) {
	conform.Method(t, Plugin, small(t, "context_min_groups", 1, "center_mode", "cached", "poe_mask_padding", false, "enc_posenc", "sin",
		"local_encoder", "per_agent", "probe_head_granularity", "step", "random_head_granularity", "step", "eval_current_head", "saved",
		"identify_policy", "live", "new_head", "reset", "latents", true), "hidden") // which latents rule out
}

// fields are the rows of a kind of a record.
func fields(t *testing.T, rec *conform.Record, kind string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, row := range rec.Rows {
		var r struct {
			Kind   string
			TEnv   int64 `json:"t_env"`
			Fields map[string]any
		}
		if err := json.Unmarshal([]byte(row), &r); err != nil {
			t.Fatal(err)
		}
		if r.Kind == kind {
			r.Fields["t_env"] = r.TEnv
			all = append(all, r.Fields)
		}
	}
	return all
}

func run(t *testing.T, changes ...any) *conform.Record {
	t.Helper()
	rec, _, _ := methodtest.Play(t, conform.MethodSubject{Plugin: Plugin, Env: mini.Env{}, Learner: mini.Learner{}, Settings: onMini(t, changes...)})
	return rec
}

// Epsilon starts anew with every task if it is to, and not otherwise.
func TestExplorationIsToldOfTheTask(t *testing.T) {
	for _, reset := range []bool{true, false} {
		starts := fields(t, run(t, "reset_epsilon", reset), "task_start")
		for i, want := range []float64{1, 0.05, 0.05} {
			if reset {
				want = 1
			}
			if starts[i]["epsilon"] != want {
				t.Errorf("reset_epsilon %v: task %d starts with epsilon %v, want %v", reset, i, starts[i]["epsilon"], want)
			}
		}
	}
}

// While a head is trained all saved heads but its own stay as they are, bit for
// bit, and its own changes only when kappa2 or the task's end says so.
func TestSavedHeadsAreIsolated(t *testing.T) {
	rec := run(t, "expansion", "always", "kappa2", int64(50), "checkpoint_interval", 1)
	var last []string
	changes := map[int]int{}
	for _, c := range rec.Checkpoints {
		f, err := safetensors.Decode(bytes.NewReader(c.Parts[continual.PartLearner]))
		if err != nil {
			t.Fatal(err)
		}
		heads, err := safetensors.Get[float32](f, "heads")
		if err != nil {
			t.Fatal(err)
		}
		k, now := f.Shape("heads"), []string(nil)
		for i := range k[0] {
			now = append(now, print(heads[i*k[1]:(i+1)*k[1]]))
		}
		trained := c.Meta.Task
		if c.Meta.Reason != continual.ReasonInterval {
			trained-- // the task has ended
		}
		for i, was := range last {
			if was != now[i] {
				if changes[i]++; i != trained && c.Meta.Reason == continual.ReasonInterval {
					t.Fatalf("head %d changed while head %d was trained", i, trained)
				}
			}
		}
		last = now
	}
	for i := range 3 { // 160 transitions a task: three saves on the way and one at the end
		if changes[i] < 2 || changes[i] > 4 {
			t.Errorf("head %d changed %d times, want about three", i, changes[i])
		}
	}
}

// A task's end saves its head, whatever kappa2 is; that of the last task, too.
func TestEndOfTaskSavesTheHead(t *testing.T) {
	w := newWorld(t, "kappa2", int64(1e9), "expansion", "always")
	for k, task := range []string{"first", "second", "third"} {
		w.begin(task)
		w.collect(4)
		eps := make([]*episode.Episode, 4)
		w.must(w.m.store.Newest(k, eps))
		before := w.learner.Parameters(core.ScopeHead, nil)
		_, err := w.learner.Train(eps)
		w.must(err)
		live := w.learner.Parameters(core.ScopeHead, nil)
		w.end()
		w.must(w.learner.LoadHead(k))
		if saved := w.learner.Parameters(core.ScopeHead, nil); slices.Equal(live, before) || !slices.Equal(live, saved) {
			t.Errorf("task %s has ended: its saved head is not the live one", task)
		}
	}
}

// From a task's end on the features are pulled to where it has left them, and
// nothing else is: not in the first task, and by nothing at the anchor itself.
func TestFeaturesArePulledToTheTasksEnd(t *testing.T) {
	for norm, l2 := range map[string]bool{"squared": false, keyL2: true} {
		w := newWorld(t, "expansion", "always", "alpha_reg", 7.0, "reg_norm", norm)
		for k, task := range []string{"first", "second", "third"} {
			w.begin(task)
			w.collect(4)
			eps := make([]*episode.Episode, 4)
			w.must(w.m.store.Newest(k, eps))
			for step := range 3 {
				st, err := w.learner.Train(eps)
				w.must(err)
				if pulled := k > 0 && step > 0; st.Penalty < 0 || (st.Penalty > 0) != pulled {
					t.Errorf("%s, task %s, step %d: penalty %v", norm, task, step, st.Penalty)
				}
			}
			w.end()
			p, phi := w.learner.penalties, w.learner.Parameters(core.ScopeFeatures, nil)
			if len(p) != 1 || p[0].Scope != core.ScopeFeatures || p[0].Coef != 7 || p[0].L2 != l2 || p[0].Importance != nil || !slices.Equal(p[0].Anchor, phi) {
				t.Errorf("%s: after task %s the penalties are %+v, the features %v", norm, task, p, phi)
			}
		}
	}
}

// A sequence with another team in it is refused with a sentence.
func TestTasksOfOneShape(t *testing.T) {
	s := onMini(t, "sequence", "mixed")
	_, err := continual.New(continual.Options{Env: mini.Env{}, Learner: mini.Learner{}, Method: Plugin, Settings: s})
	if err == nil || !strings.Contains(err.Error(), "trio has 3") {
		t.Fatalf("a team of three among teams of two: %v", err)
	}
}

// What the configuration refuses.
func TestRefusedSettings(t *testing.T) {
	for _, c := range [][]any{{"contrastive_eps", 0.0}, {"aggregation", "median"}, {"z_dim", 0}, {"alpha_reg", -1.0}} {
		if _, err := Plugin.New(onMini(t, c...), core.Services{}); err == nil || !slices.ContainsFunc(c, func(k any) bool { return strings.Contains(err.Error(), fmt.Sprint(k)) }) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// D' must be able to hold a batch of every task's group, which is one for all
// without expansion, and there must not be more heads than there may be.
func TestMatchOfTheStore(t *testing.T) {
	tasks := []core.EnvSpec{lbfSpec, lbfSpec, lbfSpec}
	for _, c := range []struct {
		expansion string
		size      int
		heads     int
		want      string
	}{
		{"adaptive", 12, 0, ""}, {"adaptive", 11, 0, "context_buffer_size 11 each of 3 groups keeps 3"}, {"never", 11, 0, ""}, {"never", 3, 0, "1 groups keeps 3"},
		{"always", 12, 3, ""}, {"always", 12, 2, "makes 3 heads for 3 tasks, more than max_heads 2"}, {"adaptive", 11, 2, ""},
		{"adaptive", 7, 2, "each of 2 groups keeps 3"}, {"adaptive", 12, 1, "never context_min_groups 2 groups"}, {"never", 12, 1, ""},
	} {
		s := onMini(t, "context_batch", 4, "context_buffer_size", c.size, "expansion", c.expansion, "max_heads", c.heads)
		err := Plugin.Match(core.Pairing{Env: "lbf", Tasks: tasks, Settings: s})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %d and %d: %v, want %q", c.expansion, c.size, c.heads, err, c.want)
		}
	}
}

// Groups that are too small for a batch raise an alarm when their task ends, and
// a choice of heads after the encoders were trained names them.
func TestTooFewTrajectories(t *testing.T) {
	w := newWorld(t, "expansion", "always", "context_batch", 8, "kappa1", int64(1))
	w.learn(9, "first")
	w.learn(3, "second")
	if got := w.row("alarm", "quantity"); got != "head 0: 9, head 1: 3" {
		t.Errorf("alarm about %v", got)
	}
	w.begin("third")
	w.collect(9)
	if w.m.steps == 0 {
		t.Fatal("two groups of nine were not used")
	}
	w.m.cfg.ContextBatch = 10
	_, err := w.m.ChooseHeads(core.Task{Index: 0, Spec: w.spec("first")}, ModeCTDE, core.Evaluation{Episodes: 3, Source: w.root})
	if err == nil || !strings.Contains(err.Error(), "context_batch 10 trajectories (head 0: 9, head 1: 3, head 2: 9)") {
		t.Errorf("choice without a group: %v", err)
	}
}

// With one head, no pull of the features and so nothing for the encoders to
// compare, training is that of finetuning, bit for bit.
func TestEqualsFinetuning(t *testing.T) {
	_, want, _ := methodtest.Play(t, methodtest.Subject(t, finetuning.Plugin{}, qmix.Plugin{}))
	s := methodtest.Subject(t, Plugin, qmix.Plugin{}, "alpha_reg", 0.0, "expansion", "never", "z_dim", 4, "enc_depth", 1)
	rec, got, _ := methodtest.Play(t, s)
	if n := len(fields(t, rec, "context")); n > 0 {
		t.Fatalf("%d context steps with a single group", n)
	}
	networks := func(parts map[string][]byte) string {
		return methodtest.Tensors(t, parts[continual.PartLearner], "online.", "target.", "rms.")
	}
	if a := networks(want); a == "" || a != networks(got) {
		t.Error("training differs from finetuning")
	}
	s.Settings["alpha_reg"] = 50.0
	_, other, _ := methodtest.Play(t, s)
	if bytes.Equal(got[continual.PartLearner], other[continual.PartLearner]) {
		t.Error("the pull of the features changes nothing")
	}
}
