package remote_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/episode"
	"macpro/core/rng"
	"macpro/plugins/envs/lbf"
)

// BenchmarkEnv compares transitions of level-based foraging in this process and
// in another one.
func BenchmarkEnv(b *testing.B) {
	for _, place := range []string{"here", "isolated"} {
		for _, lanes := range []int{1, 8, 32} {
			b.Run(fmt.Sprintf("%s/lanes=%d", place, lanes), func(b *testing.B) {
				var p core.EnvPlugin = lbf.Plugin{}
				if place == "isolated" {
					p = isolated[core.EnvPlugin](b, "env/lbf")
				}
				e, err := p.Open("right", lanes, conform.Defaults(b, lbf.Plugin{}.Info()))
				if err != nil {
					b.Fatal(err)
				}
				conform.BenchmarkEnv(b, e, lanes)
			})
		}
	}
}

// BenchmarkTrain compares a gradient step on 300 KB of episodes with a learner
// that has next to nothing to compute, so that the difference is the border.
func BenchmarkTrain(b *testing.B) {
	spec := core.EnvSpec{Env: "mini", Task: "first", Agents: 2, Actions: mini.Actions, ObsWidth: mini.ObsWidth, StateWidth: 1100, Limit: 2}
	batch := make([]*episode.Episode, 22)
	for i := range batch {
		batch[i] = blank(spec)
	}
	for _, place := range []string{"here", "isolated"} {
		b.Run(place, func(b *testing.B) {
			var p core.LearnerPlugin = mini.Learner{}
			if place == "isolated" {
				p = isolated[core.LearnerPlugin](b, "learner/mini-learner")
			}
			l, err := p.New(nil, spec, core.LearnerOptions{Source: rng.New(1), Threads: 1})
			if err != nil {
				b.Fatal(err)
			}
			times := make([]time.Duration, 0, b.N)
			for b.Loop() {
				from := time.Now()
				if _, err := l.Train(batch); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(from))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e6, "p50-ms")
		})
	}
}

// blank is an episode of two steps.
func blank(s core.EnvSpec) *episode.Episode {
	const t = 2
	e := &episode.Episode{
		T: t, N: s.Agents, A: s.Actions, ObsWidth: s.ObsWidth, StateWidth: s.StateWidth,
		Obs: make([]float32, (t+1)*s.Agents*s.ObsWidth), State: make([]float32, (t+1)*s.StateWidth),
		Avail: make([]uint8, (t+1)*s.Agents*s.Actions), Actions: make([]int32, t*s.Agents), Reward: make([]float32, t),
	}
	for i := range e.Avail {
		e.Avail[i] = 1
	}
	return e
}
