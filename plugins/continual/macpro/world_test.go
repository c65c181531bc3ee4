package macpro

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/episode"
	"macpro/core/rng"
	"macpro/core/rollout"
)

// small are the method's keys at their defaults with networks and batches that
// cost next to nothing, and the shared keys that the method reads.
func small(t testing.TB, changes ...any) core.Settings {
	t.Helper()
	s := conform.Defaults(t, Plugin.Info())
	maps.Copy(s, core.Settings{
		"lr": 5e-4, "grad_norm_clip": 10.0, "feature_scale": 1.0, "precision": "float32", "radius_floor": 0.0,
		"z_dim": 4, "enc_depth": 1, "enc_ff_mult": 2, "model_hidden": 6,
		"context_batch": 4, "kappa1": int64(20), "kappa2": int64(30), "context_buffer_size": 40, "probe_nepisode": 3,
	})
	for i := 0; i+1 < len(changes); i += 2 {
		s[changes[i].(string)] = changes[i+1]
	}
	return s
}

// onMini are the settings of a run on mini's tasks with the keys of small.
func onMini(t testing.TB, changes ...any) core.Settings {
	t.Helper()
	s := mini.Settings()
	maps.Copy(s, small(t, changes...))
	return s
}

// world is a method with everything that it is lent, driven by hand: mini's
// tasks and learner. It notes what the method asks for.
type world struct {
	t        testing.TB
	root     rng.Source
	learner  *noting
	rollouts *rollout.Service
	m        *method

	rows      []core.Event
	requests  []core.RolloutRequest
	contextAt []int64 // t_env of the context steps
	refuse    []string
	task      int
	progress  core.Progress
}

// noting is a learner that notes what is done to its heads and penalties.
type noting struct {
	core.Learner
	penalties []core.Penalty
	saves     []int
}

func (l *noting) SetPenalties(p []core.Penalty) error {
	l.penalties = slices.Clone(p)
	for i := range p { // what changes later does not count
		l.penalties[i].Anchor = slices.Clone(p[i].Anchor)
	}
	return l.Learner.SetPenalties(l.penalties)
}

func (l *noting) SaveHead(k int) error {
	l.saves = append(l.saves, k)
	return l.Learner.SaveHead(k)
}

func newWorld(t testing.TB, changes ...any) *world {
	t.Helper()
	w := &world{t: t, root: rng.New(1), task: -1}
	s := onMini(t, changes...)
	spec := w.spec("first")
	l, err := mini.Learner{}.New(s, spec, core.LearnerOptions{Source: w.root, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	w.learner = &noting{Learner: l}
	w.rollouts = rollout.NewService(&rollout.Pool{Plugin: mini.Env{}, Settings: s, Learner: w.learner}, []string{"first", "second", "third"})
	m, err := Plugin.New(s, core.Services{Learner: w.learner, Rollouts: w, Source: w.root, Journal: w, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	w.m = m.(*method)
	return w
}

// Emit and Run make the world the method's journal and rollouts.
func (w *world) Emit(e core.Event) error {
	w.rows = append(w.rows, e)
	if e.Kind == "context" {
		w.contextAt = append(w.contextAt, e.TEnv)
	}
	return nil
}

func (w *world) spec(task string) core.EnvSpec {
	e, err := mini.Env{}.Open(task, 1, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return e.Spec()
}

// learn plays n episodes of each of some tasks, one after the other.
func (w *world) learn(n int, tasks ...string) {
	w.t.Helper()
	for _, task := range tasks {
		w.begin(task)
		w.collect(n)
		w.end()
	}
}

// begin starts a task, collect plays n of its episodes, end closes it.
func (w *world) begin(task string) {
	w.t.Helper()
	w.task++
	w.must(w.m.BeginTask(core.Task{Index: w.task, Spec: w.spec(task)}, w.progress))
}

func (w *world) collect(n int) {
	w.t.Helper()
	eps, err := w.rollouts.Run(core.RolloutRequest{
		Task: w.m.tasks[w.task].Name, Purpose: "train", Episodes: n, Epsilon: 1, Source: w.root.Child("play").ChildInt(w.progress.Episode),
	})
	w.must(err)
	for _, e := range eps {
		e.Task, e.Head, e.Index = w.task, w.m.Head(), w.progress.Episode
		w.progress.TEnv += int64(e.T)
		w.progress.TaskSteps += int64(e.T)
		w.progress.Episode++
		w.must(w.m.Collected(e, w.progress))
		w.must(w.m.Trained(w.progress))
	}
}

func (w *world) end() {
	w.t.Helper()
	w.must(w.m.EndTask(w.progress))
}

// plan is the choice of heads for a test of three episodes.
func (w *world) plan(index int, task, mode string) core.HeadPlan {
	w.t.Helper()
	p, err := w.m.ChooseHeads(core.Task{Index: index, Spec: w.spec(task)}, mode,
		core.Evaluation{TEnv: w.progress.TEnv, Episodes: 3, Source: w.root.Child("test", task, mode)})
	w.must(err)
	return p
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// row is the field of the last row of a kind.
func (w *world) row(kind, field string) any {
	w.t.Helper()
	for _, e := range slices.Backward(w.rows) {
		if e.Kind == kind {
			return e.Fields[field]
		}
	}
	w.t.Fatalf("no row %q", kind)
	return nil
}

// print shortens anything to a text that differs where the thing does.
func print(v any) string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%v", v)
	return fmt.Sprintf("%x", h.Sum64())
}

func (w *world) Run(r core.RolloutRequest) ([]*episode.Episode, error) {
	if slices.Contains(w.refuse, r.Task) {
		return nil, fmt.Errorf("task %s is not there any more", r.Task)
	}
	w.requests = append(w.requests, r)
	return w.rollouts.Run(r)
}
