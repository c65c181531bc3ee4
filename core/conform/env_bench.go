package conform

import (
	"fmt"
	"testing"

	"macpro/core"
	"macpro/core/rng"
)

// BenchmarkEnv measures an environment of that many lanes as a rollout uses it:
// uniform available actions, all lanes stepped together, and a reset wherever an
// episode ends. One operation is one transition of one lane.
func BenchmarkEnv(b *testing.B, e core.Env, lanes int) {
	w := newWorkers(e, lanes, rng.FromSeed(71))
	b.ReportAllocs()
	b.ResetTimer()
	for done := 0; done < b.N && w.err == nil; done += lanes {
		w.round()
	}
	if w.err != nil {
		b.Fatal(w.err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}

// workers steps all lanes of an environment for ever, one transition each in a
// round, and never allocates.
type workers struct {
	e     core.Env
	spec  core.EnvSpec
	f     *core.Frame
	joint []int32
	draw  rng.Stream
	all   []int    // every lane
	ended []int    // those to reset before the next step
	seeds []uint64 // for them
	err   error
}

func newWorkers(e core.Env, lanes int, draw rng.Stream) *workers {
	s := e.Spec()
	w := &workers{e: e, spec: s, f: core.NewFrame(s, lanes), joint: make([]int32, lanes*s.Agents), draw: draw,
		all: make([]int, lanes), ended: make([]int, 0, lanes), seeds: make([]uint64, lanes)}
	for l := range w.all {
		w.all[l] = l
	}
	w.ended = append(w.ended, w.all...)
	return w
}

func (w *workers) round() {
	if w.err != nil {
		return
	}
	if n := len(w.ended); n > 0 {
		for i := range n {
			w.seeds[i] = w.draw.Uint64()
		}
		if w.err = w.e.Reset(w.ended, w.seeds[:n], w.f); w.err != nil {
			return
		}
	}
	w.ended = w.ended[:0]
	for _, l := range w.all {
		if w.err = choose(&w.spec, w.f, l, &w.draw, w.joint); w.err != nil {
			return
		}
	}
	if w.err = w.e.Step(w.all, w.joint, w.f); w.err != nil {
		return
	}
	for _, l := range w.all {
		if w.f.Terminated[l] || w.f.Truncated[l] {
			w.ended = append(w.ended, l)
		}
	}
}

// checkAllocations: neither steps nor resets allocate.
func checkAllocations(p core.EnvPlugin, s core.Settings) error {
	return forTraining(p, s, func(task string) error {
		e, err := p.Open(task, 2, s)
		if err != nil {
			return err
		}
		w := newWorkers(e, 2, rng.FromSeed(61))
		w.round() // the first round may still allocate what the environment keeps
		n := testing.AllocsPerRun(3*w.spec.Limit, w.round)
		if w.err != nil {
			return w.err
		}
		if n != 0 {
			return fmt.Errorf("%v allocations per step", n)
		}
		return e.Close()
	})
}
