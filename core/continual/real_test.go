package continual_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/conform"
	"macpro/core/continual"
	"macpro/core/qlearn"
	"macpro/plugins/continual/finetuning"
	"macpro/plugins/envs/lbf"
	"macpro/plugins/learners/qmix"
	"macpro/registry/remote"
)

// realOptions combine LBF, QMIX with a small network and finetuning for a run
// of two tasks, with changed keys: key, value, key, value.
func realOptions(t testing.TB, changes ...any) continual.Options {
	t.Helper()
	o := continual.Options{Env: lbf.Plugin{}, Learner: qmix.Plugin{}, Method: finetuning.Plugin{}}
	c, err := config.Load(config.Request{
		Env: o.Env.Info(), Learner: o.Learner.Info(), Alg: o.Method.Info(),
		Shared: slices.Concat(continual.Schema(), config.Schema(qlearn.Config{}), remote.Schema()), Default: configs.Read(configs.Default),
		User: config.User{Sets: []string{
			"tasks=[right,bottom]", "steps_per_task=400", "batch_size=6", "buffer_size=10", "target_update_interval=5",
			"test_interval=150", "test_nepisode=4", "log_interval=60", "checkpoint_interval=130",
			"mlp_hidden=8", "mlp_layers=2", "rnn_hidden_dim=6", "epsilon_anneal_time=300", "reset_epsilon=true", "td_lambda=0.8",
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	o.Settings = c.Settings()
	for i := 0; i+1 < len(changes); i += 2 {
		o.Settings[changes[i].(string)] = changes[i+1]
	}
	return o
}

// What holds for the mini plugins holds for a network in Gorgonia and a game.
func TestResumeAndDeterminismWithANetwork(t *testing.T) {
	whole := &tape{t: t}
	r := start(t, whole, realOptions(t))
	finish(t, r)
	end := parts(t, r)
	if len(whole.Checkpoints) < 6 {
		t.Fatalf("%d checkpoints", len(whole.Checkpoints))
	}
	for i, c := range whole.Checkpoints {
		threads := 1 + i%2
		again := &tape{Record: *whole.From(c), t: t}
		r := start(t, again, realOptions(t, "threads", threads))
		if err := conform.LoadParts(r, c.Parts); err != nil {
			t.Fatal(err)
		}
		finish(t, r)
		what := fmt.Sprintf("%d threads, resumed at t_env %d (%s)", threads, c.Meta.TEnv, c.Meta.Reason)
		sameRows(t, what, whole.Rows, again.Rows)
		sameParts(t, what, end, parts(t, r))
	}
	pure := &tape{t: t}
	r = start(t, pure, realOptions(t, "test_interval", 1<<30, "boundary_full_test", false))
	finish(t, r)
	sameParts(t, "without tests", end, parts(t, r), continual.PartRun)
}

func TestNetworkConformsWithItsMethod(t *testing.T) {
	s := realOptions(t, "steps_per_task", 200)
	conform.MethodOn(t, conform.MethodSubject{Plugin: s.Method, Env: s.Env, Learner: s.Learner, Settings: s.Settings})
}

// A network made for one team refuses a sequence with another before the start.
func TestNetworkRefusesTeamsOfAnotherSize(t *testing.T) {
	o := realOptions(t)
	o.Env = crowded{o.Env}
	_, err := continual.New(o)
	if err == nil || !strings.Contains(err.Error(), "lbf, qmix and finetuning cannot be combined") || !strings.Contains(err.Error(), "lbf/bottom (3 agents") {
		t.Errorf("error %v", err)
	}
}

// crowded claims a third agent in the task bottom.
type crowded struct{ core.EnvPlugin }

func (p crowded) Open(task string, lanes int, s core.Settings) (core.Env, error) {
	e, err := p.EnvPlugin.Open(task, lanes, s)
	if task != "bottom" {
		return e, err
	}
	return third{e}, err
}

type third struct{ core.Env }

func (e third) Spec() core.EnvSpec {
	s := e.Env.Spec()
	s.Agents++
	return s
}

// BenchmarkLBF is an episode of LBF with one gradient step at the default sizes.
func BenchmarkLBF(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			o := realOptions(b, "mlp_hidden", 128, "mlp_layers", 5, "rnn_hidden_dim", 64, "batch_size", 32, "buffer_size", 5000,
				"threads", threads, "test_interval", 1<<40, "boundary_full_test", false, "tasks", []string{"right"},
				"epsilon_anneal_time", 1, "steps_per_task", 25*(b.N+40))
			r := start(b, nil, o)
			b.ReportAllocs()
			b.ResetTimer()
			res := finish(b, r)
			b.ReportMetric(float64(res.TrainEnvSteps)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}
