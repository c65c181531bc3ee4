package continual_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/core/episode"
	"macpro/plugins/continual/finetuning"
)

// spy wraps learner and method and notes the order of their calls.
type spy struct {
	core.LearnerPlugin
	core.MethodPlugin
	log   []string
	seeds []string // of the training episodes
	told  []string // tasks that SetTask was called with
	qTot  float64  // replaces the mean Q_tot if not 0
	pair  error    // answer of Match
	only  int      // agents that SetTask accepts, 0 for all
}

type spiedLearner struct {
	core.Learner
	*spy
}

type spiedMethod struct {
	core.Method
	*spy
}

// learnerSpy and methodSpy give the spy the two plugin types.
type learnerSpy struct{ *spy }

func (s learnerSpy) Info() core.Info            { return s.LearnerPlugin.Info() }
func (s learnerSpy) Match(p core.Pairing) error { return s.pair }
func (s learnerSpy) New(st core.Settings, spec core.EnvSpec, o core.LearnerOptions) (core.Learner, error) {
	l, err := s.LearnerPlugin.New(st, spec, o)
	return spiedLearner{l, s.spy}, err
}

type methodSpy struct{ *spy }

func (s methodSpy) Info() core.Info { return s.MethodPlugin.Info() }
func (s methodSpy) New(st core.Settings, sv core.Services) (core.Method, error) {
	m, err := s.MethodPlugin.New(st, sv)
	return spiedMethod{m, s.spy}, err
}

func (s *spy) note(format string, args ...any) { s.log = append(s.log, fmt.Sprintf(format, args...)) }

func (l spiedLearner) SyncTarget() { l.note("sync"); l.Learner.SyncTarget() }
func (l spiedLearner) SetTask(s core.EnvSpec) error {
	if l.only != 0 && s.Agents != l.only {
		return fmt.Errorf("%d agents, made for %d", s.Agents, l.only)
	}
	l.told = append(l.told, s.Task)
	return l.Learner.SetTask(s)
}

func (l spiedLearner) Train(b []*episode.Episode) (core.TrainStats, error) {
	l.note("train")
	s, err := l.Learner.Train(b)
	if l.qTot != 0 {
		s.QTaken = l.qTot
	}
	return s, err
}

func (m spiedMethod) BeginTask(t core.Task, p core.Progress) error {
	m.note("begin %d at %d", t.Index, p.TEnv)
	return m.Method.BeginTask(t, p)
}

func (m spiedMethod) Collected(e *episode.Episode, p core.Progress) error {
	m.seeds = append(m.seeds, fmt.Sprintf("%#016x", e.Seed))
	m.note("episode %d T %d t %d %d", e.Index, e.T, p.TEnv, p.TaskSteps)
	return m.Method.Collected(e, p)
}

func (m spiedMethod) NextBatch() ([]*episode.Episode, error) {
	b, err := m.Method.NextBatch()
	m.note("batch %d", len(b))
	return b, err
}

func (m spiedMethod) Trained(p core.Progress) error {
	m.note("trained %d", p.Episode)
	return m.Method.Trained(p)
}

func (m spiedMethod) EndTask(p core.Progress) error {
	m.note("end %d", p.TEnv)
	return m.Method.EndTask(p)
}

func (m spiedMethod) ChooseHeads(t core.Task, mode string, ev core.Evaluation) (core.HeadPlan, error) {
	m.note("test %s", t.Spec.Task)
	return m.Method.ChooseHeads(t, mode, ev)
}

func spied(change ...any) (*spy, continual.Options) {
	s := &spy{LearnerPlugin: mini.Learner{}, MethodPlugin: finetuning.Plugin{}}
	o := options(change...)
	o.Learner, o.Method = learnerSpy{s}, methodSpy{s}
	return s, o
}

// The order of the loop: method, gradient steps, target, test; at a task's end
// the test comes before the method's EndTask.
func TestOrderOfCalls(t *testing.T) {
	for _, c := range []loopSettings{{15, 2, 3}, {1, 2, 5}, {1000, 4, 2}} {
		s, o := spied("tasks", []string{"third", "first"}, "steps_per_task", 40, "test_interval", int(c.testEvery),
			"batch_size", c.batch, "train_steps_per_episode", 2, "target_update_interval", int(c.targetEvery))
		finish(t, start(t, nil, o))
		want := c.predict(s.log)
		for i := range min(len(want), len(s.log)) {
			if s.log[i] != want[i] {
				t.Fatalf("%+v, call %d: %q, want %q\nbefore: %q", c, i, s.log[i], want[i], s.log[max(0, i-8):i])
			}
		}
		if len(want) != len(s.log) {
			t.Fatalf("%+v: %d calls, want %d", c, len(s.log), len(want))
		}
	}
}

type loopSettings struct {
	testEvery   int64
	batch       int
	targetEvery int64
}

// predict lists the calls of a run on two tasks of 40 steps; only the lengths
// of its episodes are taken from the log.
func (c loopSettings) predict(log []string) (want []string) {
	lengths := map[int64]int64{}
	for _, line := range log {
		var e, l, x, y int64
		if k, _ := fmt.Sscanf(line, "episode %d T %d t %d %d", &e, &l, &x, &y); k == 4 {
			lengths[e] = l
		}
	}
	var tEnv, lastTest, lastSync, episode int64
	tests := func(names ...string) {
		for _, n := range names {
			want = append(want, "test "+n)
		}
		lastTest = tEnv
	}
	trained := false
	for task := range 2 {
		want = append(want, fmt.Sprintf("begin %d at %d", task, tEnv), "sync")
		if task == 0 {
			tests("third", "first")
		}
		for steps, stored := int64(0), 0; steps < 40; {
			steps, tEnv = steps+lengths[episode], tEnv+lengths[episode]
			want = append(want, fmt.Sprintf("episode %d T %d t %d %d", episode, lengths[episode], tEnv, steps))
			episode++
			if stored++; stored >= c.batch {
				full := fmt.Sprintf("batch %d", c.batch)
				want = append(want, full, "train", full, "train")
				trained = true
			} else {
				want = append(want, "batch 0")
			}
			want = append(want, fmt.Sprintf("trained %d", episode))
			if trained && episode-lastSync >= c.targetEvery {
				want = append(want, "sync")
				lastSync = episode
			}
			if steps < 40 && tEnv-lastTest >= c.testEvery {
				tests([]string{"third", "first"}[:task+1]...)
			}
		}
		tests("third", "first")
		want = append(want, fmt.Sprintf("end %d", tEnv))
	}
	return want
}

// No two episodes of a run share a seed, whatever they are for, even if a task
// comes twice; with another seed of the run all are different.
func TestSeedsAreAllDifferent(t *testing.T) {
	seen := map[string]string{}
	for _, seed := range []int{1, 2} {
		rec := &tape{t: t}
		s, o := spied("tasks", []string{"first", "second", "first"}, "seed", seed, "boundary_full_test", false)
		finish(t, start(t, rec, o))
		all := s.seeds
		for _, e := range rec.of("test_episode") {
			if e.Task != "first" || e.T < 320 { // later both visits of the first task are tested, on the same episodes
				all = append(all, e.F["seed"].(string))
			}
		}
		for i, x := range all {
			where := fmt.Sprintf("seed %d, episode %d of %d", seed, i, len(all))
			if other, ok := seen[x]; ok {
				t.Fatalf("%s and %s share the seed %s", where, other, x)
			}
			seen[x] = where
		}
	}
	if len(seen) < 300 {
		t.Errorf("only %d episodes", len(seen))
	}
}

// The target changes at multiples of the interval and at switches only.
func TestTargetUpdates(t *testing.T) {
	for _, onSwitch := range []bool{true, false} {
		s, o := spied("sync_target_on_switch", onSwitch, "target_update_interval", 6)
		finish(t, start(t, nil, o))
		syncs, switches := 0, 0
		var episode int64
		for i, line := range s.log {
			if k, _ := fmt.Sscanf(line, "trained %d", &episode); k == 1 || line != "sync" {
				continue
			}
			if strings.HasPrefix(s.log[i-1], "begin") {
				switches++
				continue
			}
			syncs++
			if episode%6 != 0 {
				t.Errorf("target updated after episode %d", episode)
			}
		}
		if want := int(episode / 6); syncs != want || (switches == 3) != onSwitch || (switches == 0) == onSwitch {
			t.Errorf("sync_target_on_switch %v: %d updates in %d episodes, %d at switches", onSwitch, syncs, episode, switches)
		}
	}
}

func TestEpsilon(t *testing.T) {
	c := continual.Config{EpsilonStart: 1, EpsilonFinish: 0.05, EpsilonAnnealTime: 50000}
	for at, want := range map[int64]float64{0: 1, 25000: 0.525, 50000: 0.05, 400000: 0.05} {
		if got := c.Epsilon(at); math.Abs(got-want) > 1e-12 {
			t.Errorf("epsilon(%d) = %v, want %v", at, got, want)
		}
	}
	c.EpsilonAnnealTime = 0
	if c.Epsilon(0) != 0.05 {
		t.Error("without a decay epsilon is the final one")
	}
	for _, reset := range []bool{true, false} {
		rec := &tape{t: t}
		finish(t, start(t, rec, options("reset_epsilon", reset, "log_interval", 1)))
		for _, r := range rec.of("task_start") {
			if got := r.F["epsilon"].(float64); (got == 1) != (reset || r.T == 0) || (!reset && r.T > 0 && got != 0.05) {
				t.Errorf("reset %v: epsilon %v at the start of %s", reset, got, r.Task)
			}
		}
		last := map[string]float64{}
		for _, r := range rec.of("train") { // every row is one episode here
			e := r.F["epsilon"].(float64)
			if before, ok := last[r.Task]; ok && e > before {
				t.Errorf("reset %v: epsilon rose from %v to %v in %s", reset, before, e, r.Task)
			} else if !ok && (e == 1) != (reset || r.Task == "first") {
				t.Errorf("reset %v: the first episode of %s has epsilon %v", reset, r.Task, e)
			}
			last[r.Task] = e
		}
	}
}

// The number of gradient steps follows from the episodes, however many are
// played side by side; budgets end at the first episode that reaches them.
func TestLanesKeepTheRatioOfUpdates(t *testing.T) {
	for _, lanes := range []int{1, 8} {
		rec := &tape{t: t}
		o := options("envs_per_rollout", lanes, "train_steps_per_episode", 2, "test_interval", 1<<30, "log_interval", 1)
		o.Method = finetuning.Plugin{}
		res := finish(t, start(t, rec, o))
		if want := 2 * (res.Episodes - 3*3); res.GradientSteps != want { // three episodes per task come before a batch of 4
			t.Errorf("%d lanes: %d gradient steps in %d episodes, want %d", lanes, res.GradientSteps, res.Episodes, want)
		}
		for _, r := range rec.of("task_end") {
			if n := r.F["task_steps"].(float64); n < 160 || n >= 160+mini.Limit {
				t.Errorf("%d lanes: task %s took %v steps of 160", lanes, r.Task, n)
			}
		}
	}
}

func TestDivergedRunStops(t *testing.T) {
	rec := &tape{t: t}
	o := options("checkpoint_interval", 1)
	o.Learner = mini.Learner{DivergeAt: 20}
	_, err := start(t, rec, o).Run(context.Background())
	var d *continual.DivergedError
	if !errors.As(err, &d) || d.Quantity != "loss" || d.Task != "first" || d.Episode != 23 || !strings.Contains(err.Error(), "the run has diverged: learner mini-learner (task first, t_env") || !strings.Contains(err.Error(), "; the largest reward of env mini in the last batch is ") {
		t.Fatalf("error %v", err)
	}
	if alarms := rec.of("alarm"); len(alarms) != 1 || alarms[0].F["reason"] != "diverged" {
		t.Errorf("alarms %v", alarms)
	}
	last := rec.Checkpoints[len(rec.Checkpoints)-1]
	if last.Meta.Episode != 22 {
		t.Errorf("last checkpoint after episode %d, want 22", last.Meta.Episode)
	}
	again := &tape{t: t}
	r := start(t, again, options()) // with a learner that is sound
	if err := conform.LoadParts(r, last.Parts); err != nil {
		t.Fatal(err)
	}
	finish(t, r)
}

// A learner that refuses numbers that are not finite ends its run as diverged, too.
func TestRefusedNumbersAreDivergence(t *testing.T) {
	rec := &tape{t: t}
	o := options()
	o.Learner = mini.Learner{RefuseAt: 20}
	_, err := start(t, rec, o).Run(context.Background())
	var d *continual.DivergedError
	if !errors.As(err, &d) || d.Task != "first" || d.Cause == nil || !strings.Contains(err.Error(), "the run has diverged: learner mini-learner (task first, t_env") {
		t.Fatalf("error %v", err)
	}
	if alarms := rec.of("alarm"); len(alarms) != 1 || alarms[0].F["reason"] != "diverged" || alarms[0].F["value"] != "the gradient is NaN" {
		t.Errorf("alarms %v", alarms)
	}
}

func TestFaultsAreNamed(t *testing.T) {
	for _, c := range []struct {
		change []any
		adjust func(*continual.Options, *spy)
		want   []string
	}{
		{[]any{"tasks", []string{"frist"}}, nil, []string{`did you mean "first"`}},
		{[]any{"sequence", "trian"}, nil, []string{`did you mean "train"`, "mixed"}},
		{[]any{"buffer_size", 3}, nil, []string{"buffer_size 3", "batch_size 4"}},
		{[]any{"epsilon_finish", 0.5, "epsilon_start", 0.2}, nil, []string{"epsilon_finish 0.5"}},
		{[]any{"threads", 3}, nil, []string{"threads"}},
		{nil, func(o *continual.Options, _ *spy) { delete(o.Settings, "test_interval") }, []string{"test_interval"}},
		{nil, func(o *continual.Options, _ *spy) { o.Method = nil }, []string{"a learner and a method"}},
		{nil, func(_ *continual.Options, s *spy) { s.pair = errors.New("this mixer knows no teams") },
			[]string{"mini, mini-learner and finetuning cannot be combined", "knows no teams"}},
		{[]any{"sequence", "mixed"}, func(_ *continual.Options, s *spy) { s.only = 2 },
			[]string{"learner mini-learner cannot serve the whole sequence", "task trio of mini", "3 agents"}},
	} {
		s, o := spied(c.change...)
		if c.adjust != nil {
			c.adjust(&o, s)
		}
		r, err := continual.New(o)
		for _, w := range c.want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%v: %v, want %q", c.change, err, w)
			}
		}
		if err == nil {
			r.Close()
		}
	}
	for env, want := range map[mini.Env]string{{BlankAt: 2}: "agent 1 has no available action", {NoEnd: true}: "limit of 8 steps"} {
		o := options("boundary_full_test", false)
		o.Env = env
		_, err := start(t, nil, o).Run(context.Background())
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "training (task first, t_env 0, episode 0)") {
			t.Errorf("%+v: %v, want %q", env, err, want)
		}
	}
}

// Teams of another size are tested, probed and trained in one run. After a test
// the learner is back at the task that is trained, whichever was tested last.
func TestTeamsThatChangeInSize(t *testing.T) {
	last := &tape{t: t}
	finish(t, start(t, last, options("tasks", []string{"first", "trio"})))
	rec := &tape{t: t}
	res := finish(t, start(t, rec, options("sequence", "mixed")))
	if !slices.Equal(res.Tasks, []string{"first", "trio", "second"}) || len(res.R[mini.ModeSteps]) != 4 {
		t.Errorf("tasks %v", res.Tasks)
	}
}

func TestAlarmAboveTheLargestReturn(t *testing.T) {
	for q, want := range map[float64]int{1.19: 0, 1.3: 1} {
		rec := &tape{t: t}
		s, o := spied()
		s.qTot = q
		res := finish(t, start(t, rec, o))
		alarms := rec.of("alarm")
		if res.Alarms != want || len(alarms) != want || math.Abs(res.PeakQRatio-q) > 1e-12 {
			t.Errorf("mean Q %v: %d alarms, %d rows, ratio %v", q, res.Alarms, len(alarms), res.PeakQRatio)
		}
		if want > 0 && (alarms[0].F["reason"] != "q_inflation" || alarms[0].F["max_return"] != 1.0) {
			t.Errorf("row %v", alarms[0])
		}
	}
}
