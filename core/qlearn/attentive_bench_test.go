package qlearn_test

import (
	"fmt"
	"testing"

	"macpro/core"
	"macpro/core/cputime"
	"macpro/core/episode"
	"macpro/core/qlearn/qlearntest"
	"macpro/core/rng"
)

// battle has the shapes of n marines against m.
func battle(n, m, limit int) core.EnvSpec {
	e := core.Entities{NonAttack: 6, Move: 4, OwnObs: 1, Enemies: m, EnemyObs: 5, AllyObs: 5, EnemyState: 3, AllyState: 4}
	return core.EnvSpec{
		Env: "marines", Task: fmt.Sprintf("%dm_vs_%dm", n, m), Agents: n, Actions: 6 + m, Limit: limit, Entities: &e,
		ObsWidth: 5 + 5*m + 5*(n-1), StateWidth: 4*n + 3*m + n*(6+m),
	}
}

// layers is the number of floating-point operations of a stack on one row.
func layers(widths ...float64) (sum float64) {
	for i := 1; i < len(widths); i++ {
		sum += 2 * widths[i-1] * widths[i]
	}
	return sum
}

// entityFlops is the number of floating-point operations of one gradient step
// with the default widths, as the network is defined save for three identities: no
// key or value of an item is formed, an enemy that cannot be attacked has no value,
// and what no gradient passes through has no backward pass. A layer's backward pass
// is twice its forward pass.
func entityFlops(spec core.EnvSpec, mixer string, eps []*episode.Episode) float64 {
	const E, K, H, N = 64, 8, 64, 6
	n, m := float64(spec.Agents), float64(spec.Entities.Enemies)
	records, steps, attackable, attacks := 0.0, 0.0, 0.0, 0.0
	for _, e := range eps {
		records += float64(e.T + 1)
		steps += float64(e.T)
		for k, is := range e.Avail {
			if is != 0 && k%e.A >= N {
				attackable++
			}
		}
		for _, a := range e.Actions {
			if a >= N {
				attacks++
			}
		}
	}
	look := layers(16, K) + layers(16, E) + layers(K, 5) + layers(K, 6) + 4*(5*(n-1)+6*m) + layers(5, E) + layers(6, E)
	row := look + layers(3*E, 6*E, 6*E, 3*E) + layers(3*E, 3*H) + layers(H, 3*H) + layers(H, H, H, N) + layers(H, H)
	pair := layers(6, E, E, E) + layers(E, H, H, 1)
	total := records*n*(4*row-look) + 2*(attackable+attacks)*pair
	if mixer == "qmix" {
		all := n + m
		entities := n*layers(11, E) + m*layers(3, E) + 2*all*layers(E, K) + 2*all*all*K + 2*all*E
		total += 4 * steps * (entities + 3*layers(E, 32) + layers(E, 32, 1))
	}
	return total
}

// BenchmarkTrainEntities measures gradient steps on 32 full episodes of a battle,
// like BenchmarkTrain. Every agent has about half of its actions available.
func BenchmarkTrainEntities(b *testing.B) {
	top := peak()
	for _, spec := range []core.EnvSpec{battle(8, 9, 70), battle(4, 4, 70)} {
		s := rng.New(2).Stream()
		var eps []*episode.Episode
		for i := range 32 {
			eps = append(eps, qlearntest.Episode(s, spec, spec.Limit, int64(i)))
		}
		for _, mixer := range []string{"vdn", "qmix", "qplex"} {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%s/threads%d", spec.Task, mixer, threads), func(b *testing.B) {
					l := benchLearner(b, spec, mixer, threads)
					train(b, l, eps)
					b.ReportAllocs()
					start := cputime.Used()
					for b.Loop() {
						l.SyncTarget() // no value is remembered
						train(b, l, eps)
					}
					perStep := float64((cputime.Used() - start).Nanoseconds()) / float64(b.N)
					b.ReportMetric(perStep/1e6, "cpu-ms/op")
					if mixer == "qplex" {
						return
					}
					work := entityFlops(spec, mixer, eps)
					b.ReportMetric(work/1e9, "GFLOP/op")
					b.ReportMetric(work/perStep, "GFLOP/cpu-s")
					b.ReportMetric(work/perStep/top, "of-peak")
				})
			}
		}
	}
}

// BenchmarkActEntities measures one time step of acting in battles, with the
// live head or with two saved heads.
func BenchmarkActEntities(b *testing.B) {
	spec := battle(8, 9, 70)
	for _, lanes := range []int{1, 8} {
		for _, heads := range []int{0, 2} {
			b.Run(fmt.Sprintf("lanes%d/heads%d", lanes, heads), func(b *testing.B) {
				l := benchLearner(b, spec, "vdn", 1)
				step := newActStep(l, spec, lanes)
				rows := lanes * spec.Agents
				for range heads {
					_, err := l.NewHead(core.HeadReset)
					must(b, err)
					step.Heads = make([]int32, rows)
				}
				for r := range step.Heads {
					step.Heads[r] = int32(r * heads / rows)
				}
				must(b, l.Act(step))
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
