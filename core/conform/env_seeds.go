package conform

import (
	"errors"
	"fmt"
	"sync"

	"macpro/core"
)

// checkSeeds: an episode follows from its seed and its actions, whatever
// happened before; a second reset is like the first; seeds matter.
func checkSeeds(p core.EnvPlugin, s core.Settings) error {
	return forTraining(p, s, func(task string) error {
		want, err := playAlone(p, s, task, 11)
		if err != nil {
			return err
		}
		e, err := p.Open(task, 1, s)
		if err != nil {
			return err
		}
		f := core.NewFrame(e.Spec(), 1)
		for _, steps := range []int{e.Spec().Limit, 0, 2} { // what happens before
			if _, err := play(e, f, []int{0}, []uint64{5}, steps); err != nil {
				return err
			}
			got, err := play(e, f, []int{0}, []uint64{11}, e.Spec().Limit)
			if err != nil {
				return err
			}
			if err := want.diff(got[0]); err != nil {
				return fmt.Errorf("one seed, two episodes, the second after %d steps of another: %w", steps, err)
			}
		}
		for seed := uint64(12); seed < 44; seed++ {
			other, err := playAlone(p, s, task, seed)
			if err != nil {
				return err
			}
			if want[0].diffStart(other[0]) {
				return e.Close()
			}
		}
		return errors.New("33 seeds start alike")
	})
}

func (v snapshot) diffStart(w snapshot) bool { return !sameBits(v.obs, w.obs) }

// checkLanes: an episode is the same in any lane, beside any others.
func checkLanes(p core.EnvPlugin, s core.Settings) error {
	return forTraining(p, s, func(task string) error {
		e, err := p.Open(task, 4, s)
		if err != nil {
			return err
		}
		f := core.NewFrame(e.Spec(), 4)
		lanes, seeds := []int{3, 0, 2}, []uint64{21, 22, 23}
		ts, err := play(e, f, lanes, seeds, e.Spec().Limit)
		if err != nil {
			return err
		}
		for i, seed := range seeds {
			alone, err := playAlone(p, s, task, seed)
			if err != nil {
				return err
			}
			if err := alone.diff(ts[i]); err != nil {
				return fmt.Errorf("seed %d alone and in lane %d beside others: %w", seed, lanes[i], err)
			}
		}
		return e.Close()
	})
}

// checkInstances: environments of one family share nothing, even when they are
// stepped at the same time.
func checkInstances(p core.EnvPlugin, s core.Settings) error {
	return forTraining(p, s, func(task string) error {
		const n = 4
		var got [n]transcript
		var errs [n]error
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() { got[i], errs[i] = playAlone(p, s, task, uint64(31+i)) })
		}
		wg.Wait()
		for i := range n {
			if errs[i] != nil {
				return errs[i]
			}
			want, err := playAlone(p, s, task, uint64(31+i))
			if err != nil {
				return err
			}
			if err := want.diff(got[i]); err != nil {
				return fmt.Errorf("alone and beside other instances: %w", err)
			}
		}
		return nil
	})
}

// forTraining calls f for each task of the sequence "train".
func forTraining(p core.EnvPlugin, s core.Settings, f func(task string) error) error {
	return forTasks(p, s, func(l core.TaskList) []string { return l.Sequences["train"] }, f)
}

// forTasks calls f for some of a family's tasks.
func forTasks(p core.EnvPlugin, s core.Settings, of func(core.TaskList) []string, f func(task string) error) error {
	l, err := p.Tasks(s)
	if err != nil {
		return err
	}
	for _, task := range of(l) {
		if err := f(task); err != nil {
			return fmt.Errorf("task %q: %w", task, err)
		}
	}
	return nil
}
