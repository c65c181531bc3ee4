package conform

import (
	"fmt"
	"testing"

	"macpro/core"
	"macpro/core/rng"
)

// checkAllocations: neither steps nor resets allocate.
func checkAllocations(p core.EnvPlugin, s core.Settings) error {
	return forTraining(p, s, func(task string) error {
		e, err := p.Open(task, 2, s)
		if err != nil {
			return err
		}
		w := worker{e: e, f: core.NewFrame(e.Spec(), 2), joint: make([]int32, 2*e.Spec().Agents), draw: rng.FromSeed(61)}
		w.round() // the first round may still allocate what the environment keeps
		n := testing.AllocsPerRun(3*e.Spec().Limit, w.round)
		if w.err != nil {
			return w.err
		}
		if n != 0 {
			return fmt.Errorf("%v allocations per step", n)
		}
		return e.Close()
	})
}

// worker steps two lanes for ever, one transition a round.
type worker struct {
	e     core.Env
	f     *core.Frame
	joint []int32
	draw  rng.Stream
	on    [2]bool
	lane  [1]int
	seed  [1]uint64
	err   error
}

func (w *worker) round() {
	for l := range w.on {
		if w.err != nil {
			return
		}
		w.lane[0] = l
		if !w.on[l] {
			w.seed[0] = w.draw.Uint64()
			w.err = w.e.Reset(w.lane[:], w.seed[:], w.f)
			w.on[l] = true
			continue
		}
		if w.err = choose(w.e.Spec(), w.f, l, &w.draw, w.joint); w.err == nil {
			w.err = w.e.Step(w.lane[:], w.joint, w.f)
			w.on[l] = !w.f.Terminated[l] && !w.f.Truncated[l]
		}
	}
}
