package qlearn_test

import (
	"fmt"
	"testing"
	"time"

	"macpro/core"
	"macpro/core/cputime"
	"macpro/core/episode"
	"macpro/core/nn"
	"macpro/core/qlearn"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
)

// The shapes of foraging and of predator-prey.
var (
	foraging = core.EnvSpec{Env: "lbf", Task: "bench", Agents: 2, Actions: 5, ObsWidth: 10, StateWidth: 10, Limit: 25}
	prey     = core.EnvSpec{Env: "pp", Task: "bench", Agents: 3, Actions: 5, ObsWidth: 16, StateWidth: 20, Limit: 25}
)

// flops is the number of floating-point operations of one gradient step, from
// the sizes of the layers: forward of the online network and its backward pass
// (twice the forward, without the gradient of the inputs), forward of the
// target network.
func flops(spec core.EnvSpec, mixer string, eps []*episode.Episode) float64 {
	steps, records := 0.0, 0.0
	for _, e := range eps {
		steps += float64(e.T)
		records += float64(e.T + 1)
	}
	n, A, S, in := float64(spec.Agents), float64(spec.Actions), float64(spec.StateWidth), 0.0
	in = float64(spec.ObsWidth) + A + n
	stack := func(widths ...float64) (all, first float64) {
		for i := 1; i < len(widths); i++ {
			all += 2 * widths[i-1] * widths[i]
		}
		return all, 2 * widths[0] * widths[1]
	}
	agent, first := stack(in, 128, 128, 128, 128, 64)
	agent += 2 * (64*192 + 64*192 + 64*A)
	total := records * n * (4*agent - first)
	add := func(widths ...float64) {
		all, first := stack(widths...)
		total += steps * (4*all - first)
	}
	switch mixer {
	case "qmix":
		add(S, 64, n*32)
		add(S, 64, 32)
		add(S, 32)
		add(S, 32, 1)
	case "qplex":
		add(S, 64, n)
		add(S, 64, n)
		for range 10 {
			add(S, 64, 64, 1)
			add(S, 64, 64, n)
			add(S+n*A, 64, 64, n)
		}
	}
	return total
}

// peak is the rate that one core reaches. Other processes share the machine, so
// the best of many short measurements counts.
func peak() float64 {
	best := 0.0
	for range 100 {
		best = max(best, nn.Peak(2*time.Millisecond))
	}
	return best
}

// BenchmarkTrain measures gradient steps on 32 episodes. Beside the time it
// reports the processor time, which other processes disturb less, and the rate
// by processor time as a part of one core's peak.
func BenchmarkTrain(b *testing.B) {
	top := peak()
	for _, spec := range []core.EnvSpec{foraging, prey} {
		for _, lengths := range []string{"full", "4to25"} {
			for _, mixer := range []string{"vdn", "qmix", "qplex"} {
				for _, threads := range []int{1, 2} {
					b.Run(fmt.Sprintf("%s/%s/%s/threads%d", spec.Env, lengths, mixer, threads), func(b *testing.B) {
						benchmarkTrain(b, spec, lengths == "full", mixer, threads, top)
					})
				}
			}
		}
	}
}

// BenchmarkTrainHeads measures the same step beside one saved head and beside
// ten: training costs the same however many heads there are.
func BenchmarkTrainHeads(b *testing.B) {
	for _, heads := range []int{1, 10} {
		b.Run(fmt.Sprintf("heads=%d", heads), func(b *testing.B) {
			l := benchLearner(b, foraging, "qmix", 1)
			for range heads {
				_, err := l.NewHead(core.HeadReset)
				must(b, err)
			}
			eps := benchEpisodes(foraging, true)
			train(b, l, eps)
			b.ReportAllocs()
			start := cputime.Used()
			for b.Loop() {
				l.SyncTarget() // no value is remembered
				train(b, l, eps)
			}
			b.ReportMetric(float64((cputime.Used()-start).Nanoseconds())/float64(b.N)/1e6, "cpu-ms/op")
		})
	}
}

// BenchmarkUnusedAbilities measures steps of two learners in turn, one of which
// has used its abilities before: the ratio is 1 where what is not used costs nothing.
func BenchmarkUnusedAbilities(b *testing.B) {
	eps := benchEpisodes(foraging, true)
	var both [2]*qlearn.Learner
	for i := range both {
		both[i] = benchLearner(b, foraging, "qmix", 1)
		train(b, both[i], eps)
	}
	used(b, both[1], eps)
	trainInTurn(b, "unused", "used", both, eps)
}

// trainInTurn measures steps of two learners, without remembered values.
func trainInTurn(b *testing.B, first, second string, both [2]*qlearn.Learner, eps []*episode.Episode) {
	cputime.InTurn(b, first, second, func(i int) func() {
		both[i].SyncTarget()
		return func() { train(b, both[i], eps) }
	})
}

// BenchmarkSharing measures steps of a learner whose agents share a network and of
// one in which each has its own, in turn. It also reports the ratios of the numbers of
// parameters and of the times of acting.
func BenchmarkSharing(b *testing.B) {
	for _, spec := range []core.EnvSpec{foraging, prey} {
		b.Run(spec.Env, func(b *testing.B) {
			eps := benchEpisodes(spec, true)
			own := spec
			own.Task = separate
			both := [2]*qlearn.Learner{benchLearner(b, spec, "vdn", 1), benchLearner(b, own, "vdn", 1)}
			trainInTurn(b, "full", "none", both, eps)
			size := func(l *qlearn.Learner) float64 { return float64(len(l.Parameters(core.ScopeAll, nil))) }
			b.ReportMetric(size(both[1])/size(both[0]), "size-ratio")
			var act [2]time.Duration
			for i, s := range []core.EnvSpec{spec, own} {
				step := newActStep(both[i], s, 1)
				start := time.Now()
				for range 2000 {
					must(b, both[i].Act(step))
				}
				act[i] = time.Since(start) / 2000
			}
			b.ReportMetric(float64(act[1])/float64(act[0]), "act-ratio")
		})
	}
}

// benchEpisodes are 32 episodes, all of full length or of 4 to 25 steps.
func benchEpisodes(spec core.EnvSpec, full bool) []*episode.Episode {
	s := rng.New(2).Stream()
	var eps []*episode.Episode
	for i := range 32 {
		T := spec.Limit
		if !full {
			T = 4 + i*22/32
		}
		eps = append(eps, qlearntest.Episode(s, spec, T, int64(i)))
	}
	return eps
}

func benchmarkTrain(b *testing.B, spec core.EnvSpec, full bool, mixer string, threads int, top float64) {
	l := benchLearner(b, spec, mixer, threads)
	eps := benchEpisodes(spec, full)
	train(b, l, eps)
	b.ReportAllocs()
	start := cputime.Used()
	for b.Loop() {
		l.SyncTarget() // no value is remembered
		train(b, l, eps)
	}
	perStep := float64((cputime.Used() - start).Nanoseconds()) / float64(b.N)
	rate := flops(spec, mixer, eps) / perStep
	b.ReportMetric(perStep/1e6, "cpu-ms/op")
	b.ReportMetric(rate, "GFLOP/cpu-s")
	b.ReportMetric(rate/top, "of-peak")
}

func benchLearner(b *testing.B, spec core.EnvSpec, mixer string, threads int) *qlearn.Learner {
	s, err := qlearntest.Settings(nil)
	must(b, err)
	if spec.Task == separate {
		s["sharing"] = "none"
	}
	l, err := qlearn.New(s, spec, core.LearnerOptions{Source: rng.New(1), Threads: threads}, mixers[mixer])
	must(b, err)
	return l
}

// BenchmarkAct measures one time step of acting, with the live head or with
// saved heads that differ between lanes.
func BenchmarkAct(b *testing.B) {
	for _, rows := range []int{2, 3, 64} {
		for _, heads := range []int{0, 2} {
			spec := foraging
			if rows == 3 {
				spec = prey
			}
			b.Run(fmt.Sprintf("rows%d/heads%d", rows, heads), func(b *testing.B) {
				l := benchLearner(b, spec, "vdn", 1)
				step := newActStep(l, spec, rows/spec.Agents)
				for range heads {
					_, err := l.NewHead(core.HeadReset)
					must(b, err)
					step.Heads = make([]int32, rows)
				}
				for r := range step.Heads {
					step.Heads[r] = int32(r * heads / rows)
				}
				b.ReportAllocs()
				start := cputime.Used()
				for b.Loop() {
					must(b, l.Act(step))
				}
				b.ReportMetric(float64((cputime.Used()-start).Nanoseconds())/float64(b.N)/1e3, "cpu-us/op")
			})
		}
	}
}

// BenchmarkImportance measures the importance per episode.
func BenchmarkImportance(b *testing.B) {
	l := benchLearner(b, prey, "qmix", 2)
	s := rng.New(2).Stream()
	eps := []*episode.Episode{qlearntest.Episode(s, prey, 25, 0), qlearntest.Episode(s, prey, 25, 1)}
	for b.Loop() {
		_, err := l.Importance(eps, core.ImportanceTDLoss)
		must(b, err)
	}
}
