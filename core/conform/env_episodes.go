package conform

import (
	"fmt"
	"math"

	"macpro/core"
)

// checkEpisodes: in every task, whole episodes show finite numbers and legal
// masks, end by a terminal state or exactly at the limit, never pay more than
// the largest return, and leave the rows of other lanes alone.
func checkEpisodes(p core.EnvPlugin, s core.Settings) error {
	return forTasks(p, s, taskNames, func(task string) error {
		e, err := p.Open(task, 3, s)
		if err != nil {
			return err
		}
		for seed := range uint64(3) {
			if err := checkEpisode(e, seed); err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
		}
		return e.Close()
	})
}

// checkEpisode plays in the middle one of three lanes of a spoilt frame.
func checkEpisode(e core.Env, seed uint64) error {
	s := e.Spec()
	f := spoilt(s, 3)
	ts, err := play(e, f, []int{1}, []uint64{seed}, s.Limit+1)
	if err != nil {
		return err
	}
	sum, last := 0.0, len(ts[0])-1
	for t, v := range ts[0] {
		if err := checkSnapshot(v); err != nil {
			return fmt.Errorf("after %d steps: %w", t, err)
		}
		sum += float64(v.reward)
		if v.truncated && t != s.Limit {
			return fmt.Errorf("truncated after %d steps, the limit is %d", t, s.Limit)
		}
	}
	if !ts[0][last].ended() || last > s.Limit {
		return fmt.Errorf("no end after %d steps, the limit is %d", last, s.Limit)
	}
	if sum > s.MaxReturn*(1+1e-5) {
		return fmt.Errorf("return %v exceeds the largest one, %v", sum, s.MaxReturn)
	}
	untouched := spoilt(s, 3)
	for _, lane := range []int{0, 2} {
		got := transcript{view(s, f, lane, nil, false)}
		if err := got.diff(transcript{view(s, untouched, lane, nil, false)}); err != nil {
			return fmt.Errorf("lane %d was written while only lane 1 was played: %w", lane, err)
		}
	}
	return nil
}

// spoilt is a frame full of values that no environment may show.
func spoilt(s core.EnvSpec, lanes int) *core.Frame {
	f := core.NewFrame(s, lanes)
	nan := float32(math.NaN())
	for _, x := range [][]float32{f.Obs, f.State} {
		for i := range x {
			x[i] = nan
		}
	}
	for i := range f.Avail {
		f.Avail[i] = 7
	}
	for l := range lanes {
		f.Reward[l], f.Terminated[l], f.Truncated[l], f.Won[l] = -1e30, true, true, true
	}
	return f
}

func checkSnapshot(v snapshot) error {
	for _, x := range [][]float32{v.obs, v.state, {v.reward}} {
		for i, y := range x {
			if math.IsNaN(float64(y)) || math.IsInf(float64(y), 0) || y == -1e30 {
				return fmt.Errorf("number %d of %v is not finite or was not written", i, x)
			}
		}
	}
	for i, m := range v.avail {
		if m > 1 {
			return fmt.Errorf("mask %d is %d, not 0 or 1, or was not written", i, m)
		}
	}
	switch {
	case v.terminated && v.truncated:
		return fmt.Errorf("terminated and truncated at once")
	case v.won && !v.ended():
		return fmt.Errorf("won before the end")
	}
	return nil
}
