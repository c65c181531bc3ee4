package packnet

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/episode"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/continual/internal/methodtest"
	"macpro/plugins/learners/qmix"
	"macpro/plugins/learners/vdn"
)

func TestConformance(t *testing.T) {
	conform.MethodOn(t, methodtest.Subject(t, Plugin{}, vdn.Plugin{}))
	t.Run("pruned at the end", func(t *testing.T) {
		conform.MethodOn(t, methodtest.Subject(t, Plugin{}, vdn.Plugin{}, "packnet_retrain", 0.0))
	})
}

// With inferred tasks nothing of training changes.
func TestConformanceOfInferredTasks(t *testing.T) {
	s := func(task string) conform.MethodSubject {
		return methodtest.Subject(t, Plugin{}, vdn.Plugin{}, "packnet_task", task, "packnet_probes", 2)
	}
	conform.MethodOn(t, s("inferred"))
	_, told, _ := methodtest.Play(t, s("oracle"))
	rec, found, res := methodtest.Play(t, s("inferred"))
	if !slices.Equal(res.Modes, []string{ModeInferred, ModeOracle, ModeAll}) {
		t.Errorf("modes %v", res.Modes)
	}
	for _, part := range []string{"learner", "method"} {
		if !bytes.Equal(told[part], found[part]) {
			t.Errorf("the %s depends on who tells the task", part)
		}
	}
	if k := methodtest.Last(t, rec, "test", "inferred_task"); k < 0 || k > 2 {
		t.Errorf("task %v is inferred", k)
	}
}

// The entropy of values by hand: two equal actions have log 2, one has 0, actions
// that are not available do not count.
func TestEntropy(t *testing.T) {
	e := &episode.Episode{T: 2, N: 1, A: 3, Avail: []uint8{1, 0, 1, 0, 1, 0}}
	if h := entropy([]*episode.Episode{e}, [][]float32{{2, 9, 2, 0, 5, 0}}); math.Abs(h-math.Log(2)/2) > 1e-12 {
		t.Errorf("%v, want the mean of log 2 and 0", h)
	}
	p := 1 / (1 + math.Exp(1.0))
	if h := rowEntropy([]float32{1, 2}, []uint8{1, 1}); math.Abs(h+p*math.Log(p)+(1-p)*math.Log(1-p)) > 1e-12 {
		t.Errorf("%v", h)
	}
}

// rolls are rollouts of recorded episodes.
type rolls struct{ eps []*episode.Episode }

func (r rolls) Run(q core.RolloutRequest) ([]*episode.Episode, error) {
	if q.Purpose != "probe" || q.Epsilon != 1 || q.Episodes != len(r.eps) || q.Heads != nil || q.Stepper != nil {
		return nil, fmt.Errorf("%+v", q)
	}
	return r.eps, nil
}

// The network acts whose values have the smallest entropy in the probing episodes.
func TestTheMostCertainNetworkActs(t *testing.T) {
	b := newBench(t)
	b.cfg.Task, b.cfg.Probes = taskInferred, 3
	probes := rolls{qlearntest.Episodes(rng.New(77).Stream(), spec, 3)}
	b.rollouts = probes
	first := core.Task{Index: 0, Spec: spec}
	ev := core.Evaluation{Episodes: 2, Source: rng.New(3)}
	for task := range 3 {
		b.begin(task)
		if plan, err := b.ChooseHeads(first, ModeInferred, ev); task == 0 && (err != nil || plan.Agent != nil || plan.ProbeEpisodes != 0) {
			t.Errorf("with one network it probes: %+v, %v", plan, err)
		}
		b.train(60, 10)
		b.train(1, 60)
		b.train(20, 70)
		b.must(b.EndTask(core.Progress{}))
	}
	plan, err := b.ChooseHeads(core.Task{Index: -1, Spec: spec}, ModeInferred, ev)
	b.must(err)
	best, least := -1, math.Inf(1)
	for k := range 3 {
		oracle, err := b.ChooseHeads(core.Task{Index: k, Spec: spec}, ModeOracle, ev)
		b.must(err)
		values, err := core.AbilitiesOf(b.l).Valuer.EpisodeValues(probes.eps, oracle.Agent)
		b.must(err)
		if h := entropy(probes.eps, values); h < least {
			best, least = k, h
		}
	}
	want, err := b.ChooseHeads(core.Task{Index: best, Spec: spec}, ModeOracle, ev)
	b.must(err)
	fields, err := plan.Stepper.TestFields()
	b.must(err)
	if !slices.Equal(plan.Agent, want.Agent) || fields["inferred_task"] != best || plan.ProbeEpisodes != 3 || plan.ProbeSteps == 0 {
		t.Errorf("%v of %d probing episodes, want task %d", fields, plan.ProbeEpisodes, best)
	}
	other := spec
	other.ObsWidth++
	if plan, err := b.ChooseHeads(core.Task{Index: -1, Spec: other}, ModeInferred, ev); err != nil || !plan.Skip {
		t.Errorf("a task of other shapes: %+v, %v", plan, err)
	}
}

func TestWithoutKeepingItIsFinetuning(t *testing.T) {
	methodtest.Likewise(t, Plugin{}, finetuning.Plugin{}, qmix.Plugin{}, "packnet_keep", 0.5, false)
}

// bench is a method that is driven by hand.
type bench struct {
	*method
	t   *testing.T
	l   core.Learner
	s   core.Settings
	eps []*episode.Episode
}

var spec = qlearntest.Spec(2)

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, s: methodtest.Subject(t, Plugin{}, vdn.Plugin{}, "lr", 0.01, "steps_per_task", 100, "packnet_retrain", 0.5).Settings}
	var err error
	if b.l, err = (vdn.Plugin{}).New(b.s, spec, core.LearnerOptions{Source: rng.New(1), Threads: 1}); err != nil {
		t.Fatal(err)
	}
	b.make()
	return b
}

// make gives the learner a new method.
func (b *bench) make() {
	m, err := Plugin{}.New(b.s, core.Services{Learner: b.l, Source: rng.New(2), Tasks: []core.EnvSpec{spec, spec, spec, spec, spec, spec}, Journal: &conform.Record{}})
	b.must(err)
	b.method = m.(*method)
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// train makes steps, at a place in the task's time.
func (b *bench) train(steps int, at int64) []float32 {
	b.t.Helper()
	for range steps {
		_, err := b.l.Train(b.eps)
		b.must(err)
		b.must(b.Trained(core.Progress{TaskSteps: at}))
	}
	return b.l.Parameters(core.ScopeAgent, nil)
}

func (b *bench) begin(task int) {
	b.t.Helper()
	b.eps = qlearntest.Episodes(rng.New(uint64(task)).Stream(), spec, 6)
	b.must(b.BeginTask(core.Task{Index: task, Spec: spec}, core.Progress{}))
}

// A task's weights never move again, over 1,000 steps of the next task and a
// resume in their midst; a test of it acts with them alone.
func TestKeptWeightsNeverMove(t *testing.T) {
	b := newBench(t)
	b.begin(0)
	b.train(20, 10)
	b.train(1, 60) // prunes
	after := b.train(20, 70)
	b.must(b.EndTask(core.Progress{}))
	first := slices.Clone(b.owners.Of)
	for j, k := range first {
		if k == 0 && after[j] != 0 {
			t.Fatalf("pruned weight %d is %v after the retraining", j, after[j])
		}
	}
	b.begin(1)
	for i := range 10 {
		w := b.train(100, int64(10*i))
		moved := 0
		for j, k := range first {
			switch {
			case k == 1 && w[j] != after[j]:
				t.Fatalf("weight %d of the first task went from %v to %v", j, after[j], w[j])
			case k == 0 && w[j] != 0:
				moved++
			}
		}
		if moved == 0 {
			t.Fatal("no free weight moves")
		}
		if i == 3 || i == 7 { // before and after the pruning of the second task
			b.resume()
		}
	}
	b.must(b.EndTask(core.Progress{}))
	plan, err := b.ChooseHeads(core.Task{Index: 0, Spec: spec}, ModeOracle, core.Evaluation{Episodes: 1})
	b.must(err)
	if !slices.Equal(plan.Agent, after) {
		t.Error("a test of the first task acts with other weights than at its end")
	}
	for mode, task := range map[string]int{ModeOracle: 1, ModeAll: 0} {
		if plan, err := b.ChooseHeads(core.Task{Index: task, Spec: spec}, mode, core.Evaluation{Episodes: 1}); err != nil || plan.Agent != nil || plan.Skip {
			t.Errorf("mode %s of task %d: %+v, %v", mode, task, plan, err)
		}
	}
}

// Of 100 transitions of a task the last 20 retrain.
func TestWhenATaskIsPruned(t *testing.T) {
	b := newBench(t)
	b.s["packnet_retrain"] = 0.2
	b.make()
	b.begin(0)
	if b.train(1, 79); b.pruned {
		t.Error("pruned before the last part of the steps")
	}
	if b.train(1, 80); !b.pruned {
		t.Error("not pruned at the last part of the steps")
	}
}

// A test of a task between others acts with the network that the task ended with:
// with the weights of all tasks up to it and none of later ones.
func TestNetworkOfATaskBetweenOthers(t *testing.T) {
	b := newBench(t)
	var ends [][]float32
	for task := range 4 {
		b.begin(task)
		b.train(20, 10)
		b.train(1, 60)
		ends = append(ends, b.train(10, 70))
		b.must(b.EndTask(core.Progress{}))
	}
	for task, want := range ends[:3] {
		plan, err := b.ChooseHeads(core.Task{Index: task, Spec: spec}, ModeOracle, core.Evaluation{Episodes: 1})
		b.must(err)
		if !slices.Equal(plan.Agent, want) {
			t.Errorf("task %d is played with other weights than at its end", task)
		}
	}
}

// resume puts a new learner and a new method in place of those that were saved.
func (b *bench) resume() {
	b.t.Helper()
	var l, m bytes.Buffer
	b.must(b.l.Save(&l))
	b.must(b.Save(&m))
	var err error
	b.l, err = (vdn.Plugin{}).New(b.s, spec, core.LearnerOptions{Source: rng.New(9), Threads: 1})
	b.must(err)
	b.make()
	b.must(b.l.Load(&l))
	b.must(b.Load(&m))
}

// On battles of teams of unlike size it packs and resumes as well.
func TestBattles(t *testing.T) {
	methodtest.Battles(t, Plugin{})
	methodtest.Battles(t, Plugin{}, "packnet_task", taskInferred, "packnet_probes", 2)
}
