package owl

import (
	"fmt"
	"maps"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/episode"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/core/rollout"
	"macpro/plugins/envs/lbf"
	"macpro/plugins/learners/qmix"
)

// BenchmarkTest measures a test of 32 episodes of foraging with an untrained
// network: the live head alone, and bandits over two and five heads.
func BenchmarkTest(b *testing.B) {
	for _, c := range []struct {
		feedback string
		heads    int
	}{{"", 1}, {"td_joint", 2}, {"td_joint", 5}, {"td_vdn", 5}, {"return", 5}} {
		b.Run(fmt.Sprintf("%s%d", c.feedback, c.heads), func(b *testing.B) {
			s, err := qlearntest.Settings(nil)
			if err != nil {
				b.Fatal(err)
			}
			maps.Copy(s, conform.Defaults(b, qmix.Plugin{}.Info()))
			maps.Copy(s, conform.Defaults(b, lbf.Plugin{}.Info()))
			maps.Copy(s, settings(b, "gamma", 0.99, "batch_size", 32, "buffer_size", 100, "log_interval", 1000))
			if c.feedback != "" {
				s["owl_feedback"] = c.feedback
			}
			benchmarkTest(b, s, c.heads)
		})
	}
}

func benchmarkTest(b *testing.B, s core.Settings, heads int) {
	env, err := lbf.Plugin{}.Open("right", 32, s)
	if err != nil {
		b.Fatal(err)
	}
	l, err := qmix.Plugin{}.New(s, env.Spec(), core.LearnerOptions{Source: rng.New(1), Threads: 1})
	if err != nil {
		b.Fatal(err)
	}
	m, err := Plugin{}.New(s, core.Services{Learner: l, Source: rng.New(1)})
	if err != nil {
		b.Fatal(err)
	}
	for k := range heads {
		if err := m.BeginTask(core.Task{Index: k, Spec: env.Spec()}, core.Progress{}); err != nil {
			b.Fatal(err)
		}
		if err := l.(core.Valuer).SaveMixer(k); err != nil {
			b.Fatal(err)
		}
	}
	p := rollout.NewPlayer(env, l, 32)
	rows := 0
	count := func(_ int, e *episode.Episode, _ []int32) error {
		rows += e.T * e.N
		return nil
	}
	b.ReportAllocs()
	for b.Loop() {
		src := rng.New(9)
		h, err := m.ChooseHeads(core.Task{Index: 0, Spec: env.Spec()}, Mode, core.Evaluation{Episodes: 32, Source: src})
		if err != nil {
			b.Fatal(err)
		}
		plan := rollout.Plan{Episodes: 32, Env: src.Child("episodes").Stream(), Source: src.Child("steps"), Heads: h.Heads, Stepper: h.Stepper, Together: h.Together, Lean: true}
		if err := p.Play(&plan, count); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rows)/float64(b.N), "rows/op")
}
