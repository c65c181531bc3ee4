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
