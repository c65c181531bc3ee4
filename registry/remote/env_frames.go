package remote

import (
	"fmt"

	"macpro/core"
	"macpro/registry/remote/wire"
)

// The bits of a lane's flags.
const (
	flagTerminated = 1 << iota
	flagTruncated
	flagWon
)

// take checks what the listed lanes show and then writes it to their rows.
// Nothing is written if anything is wrong.
func (e *env) take(call string, lanes []int, a *wire.Frames, f *core.Frame, step bool) error {
	if err := e.check(lanes, a, step); err != nil {
		return e.link.fault(call, err)
	}
	s := e.spec
	obs, mask := s.Agents*s.ObsWidth, s.Agents*s.Actions
	for i, l := range lanes {
		fill(f.Obs, l, obs, a.Obs, i)
		fill(f.State, l, s.StateWidth, a.State, i)
		copy(f.Avail[l*mask:(l+1)*mask], a.Avail[i*mask:])
		if step {
			fill(f.Reward, l, 1, a.Reward, i)
			flags := a.Flags[i]
			f.Terminated[l], f.Truncated[l], f.Won[l] = flags&flagTerminated != 0, flags&flagTruncated != 0, flags&flagWon != 0
		}
	}
	return nil
}

// fill copies row i of a tensor to row l of dst; check has seen to the lengths.
func fill(dst []float32, l, width int, b []byte, i int) {
	if err := wire.Fill("", dst[l*width:(l+1)*width], b[4*i*width:4*(i+1)*width]); err != nil {
		panic(err)
	}
}

// check refuses frames of another shape, numbers that are not finite, masks
// that are not 0 or 1, contradictory flags, and an agent without an action in
// an episode that goes on.
func (e *env) check(lanes []int, a *wire.Frames, step bool) error {
	s, k := e.spec, len(lanes)
	rewards := 0
	if step {
		rewards = k
	}
	for _, t := range []struct {
		name      string
		got, want int
	}{
		{"observations", len(a.Obs), 4 * k * s.Agents * s.ObsWidth}, {"states", len(a.State), 4 * k * s.StateWidth},
		{"masks", len(a.Avail), k * s.Agents * s.Actions}, {"rewards", len(a.Reward), 4 * rewards}, {"flags", len(a.Flags), rewards},
	} {
		if t.got != t.want {
			return fmt.Errorf("%s of %d lanes have %d bytes, want %d", t.name, k, t.got, t.want)
		}
	}
	for i, l := range lanes {
		row := func(b []byte, width int) []byte { return b[i*width : (i+1)*width] }
		for _, t := range []struct {
			name string
			b    []byte
		}{
			{"observation", row(a.Obs, 4*s.Agents*s.ObsWidth)}, {"state", row(a.State, 4*s.StateWidth)}, {"reward", a.Reward[4*min(i, rewards) : 4*min(i+1, rewards)]},
		} {
			if j := wire.NotFinite(t.b); j >= 0 {
				return fmt.Errorf("lane %d: number %d of the %s is not finite", l, j, t.name)
			}
		}
		over := false
		if step {
			f := a.Flags[i]
			over = f&(flagTerminated|flagTruncated) != 0
			if f > flagTerminated|flagTruncated|flagWon || f&flagTerminated != 0 && f&flagTruncated != 0 {
				return fmt.Errorf("lane %d: the flags %#b say terminated and truncated, or nothing that is known", l, f)
			}
		}
		if err := e.checkMask(row(a.Avail, s.Agents*s.Actions), over); err != nil {
			return fmt.Errorf("lane %d, %w", l, err)
		}
	}
	return nil
}

func (e *env) checkMask(mask []byte, over bool) error {
	for i := range e.spec.Agents {
		free := 0
		for a, m := range mask[i*e.spec.Actions : (i+1)*e.spec.Actions] {
			if m > 1 {
				return fmt.Errorf("agent %d: the mask of action %d is %d, not 0 or 1", i, a, m)
			}
			free += int(m)
		}
		if free == 0 && !over {
			return fmt.Errorf("agent %d has no available action", i)
		}
	}
	return nil
}
