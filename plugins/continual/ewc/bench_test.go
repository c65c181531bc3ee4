package ewc

import (
	"fmt"
	"testing"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
	"macpro/plugins/learners/qmix"
)

// foraging has the shapes of the environment lbf.
var foraging = core.EnvSpec{Env: "lbf", Task: "bench", Agents: 2, Actions: 5, ObsWidth: 10, StateWidth: 10, Limit: 25}

func newLearner(b *testing.B) (*qlearn.Learner, []*episode.Episode) {
	b.Helper()
	s, err := qlearntest.Settings(nil)
	if err != nil {
		b.Fatal(err)
	}
	l, err := qlearn.New(s, foraging, core.LearnerOptions{Source: rng.New(1), Threads: 1}, qmix.Config{Embed: 32, Hyper: 64, Layers: 2}.Mixer)
	if err != nil {
		b.Fatal(err)
	}
	var eps []*episode.Episode
	for i := range 32 {
		eps = append(eps, qlearntest.Episode(rng.New(2).ChildInt(int64(i)).Stream(), foraging, 4+i*22/32, int64(i)))
	}
	return l, eps
}

// BenchmarkStep measures a gradient step of 32 episodes with the penalties of
// each method: none for Finetuning and Coreset; EWC with one term and, kept
// apart, with one for each of four earlier tasks; OWL with four on the features.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name  string
		scope core.Scope
		terms int
	}{{"finetuning", "", 0}, {"ewc-online", core.ScopeAgent, 1}, {"ewc-separate4", core.ScopeAgent, 4}, {"owl4", core.ScopeFeatures, 4}} {
		b.Run(c.name, func(b *testing.B) {
			l, eps := newLearner(b)
			var penalties []core.Penalty
			for range c.terms {
				anchor := l.Parameters(c.scope, nil)
				f := make([]float32, len(anchor))
				for j := range f {
					f[j] = 1
				}
				penalties = append(penalties, core.Penalty{Scope: c.scope, Anchor: anchor, Importance: f, Coef: 500})
			}
			if err := l.SetPenalties(penalties); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.Train(eps); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFisher measures the importance of 256 episodes, once a task.
func BenchmarkFisher(b *testing.B) {
	l, eps := newLearner(b)
	var all []*episode.Episode
	for range 8 {
		all = append(all, eps...)
	}
	for b.Loop() {
		if _, err := l.Importance(all, core.ImportanceTDLoss); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*len(all)), fmt.Sprintf("ms/episode(%d)", len(all)))
}
