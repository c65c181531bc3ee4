package battle

import (
	"fmt"
	"testing"

	"macpro/core/cputime"
	"macpro/core/rng"
	"macpro/plugins/envs/internal/skirmish"
)

// known finds a map, with MACPro's limit if it has one.
func known(name string) *Map { return Find(Every, name) }

// buffers is what an instance shows.
type buffers struct {
	obs, state []float32
	actions    []int32
}

func buffersFor(b *Battle) *buffers {
	n := b.m.Agents()
	return &buffers{
		obs: make([]float32, n*b.view.ObsWidth()), state: make([]float32, b.view.StateWidth()),
		actions: make([]int32, n),
	}
}

// pick draws every agent's action uniformly among the available ones.
func (f *buffers) pick(r *rng.Stream, avail []uint8) {
	a := len(avail) / len(f.actions)
	for i := range f.actions {
		f.actions[i] = uniform(r, avail[i*a:(i+1)*a])
	}
}

func uniform(r *rng.Stream, avail []uint8) int32 {
	n := 0
	for _, ok := range avail {
		n += int(ok)
	}
	k := r.Intn(n)
	for a, ok := range avail {
		if ok == 1 {
			if k == 0 {
				return int32(a)
			}
			k--
		}
	}
	return -1
}

// Environment steps with random actions, observations and states included.
func BenchmarkStep(b *testing.B) {
	for _, name := range []string{"3m", "2s3z", "3s5z", "8m_vs_9m", "13m", "25m", "27m_vs_30m", "MMM2", "1c3s5z", "bane_vs_bane", "2c_vs_64zg", "corridor"} {
		for _, profile := range []string{"sc2", "smaclite"} {
			m := known(name)
			rules, _ := skirmish.RulesByName(profile)
			opt := defaults()
			opt.Rules = rules
			b.Run(fmt.Sprintf("%s/%s", name, profile), func(b *testing.B) { benchmarkStep(b, New(m, opt)) })
		}
	}
}

func benchmarkStep(b *testing.B, env *Battle) {
	f, r := buffersFor(env), rng.FromSeed(1)
	b.ReportAllocs()
	left, begun := 0, cputime.Used()
	for b.Loop() {
		if left == 0 {
			env.Reset(r.Uint64())
			env.Observe(f.obs, f.state)
			left = env.m.Limit
		}
		f.pick(&r, env.avail)
		left--
		if env.Step(f.actions).Terminated {
			left = 0
		}
		env.Observe(f.obs, f.state)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
	b.ReportMetric(float64(b.N)/(cputime.Used()-begun).Seconds(), "steps/cpu-s")
}
