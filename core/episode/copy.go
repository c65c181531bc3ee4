package episode

import "fmt"

// CopyFrom makes e an independent copy of src. It reuses the memory of e and
// allocates only where src is larger than anything e has held.
func (e *Episode) CopyFrom(src *Episode) {
	old := *e
	*e = *src
	e.Obs = refill(old.Obs, src.Obs[:(src.T+1)*src.N*src.ObsWidth])
	e.State = refill(old.State, src.State[:(src.T+1)*src.StateWidth])
	e.Avail = refill(old.Avail, src.Avail[:(src.T+1)*src.N*src.A])
	e.Actions = refill(old.Actions, src.Actions[:src.T*src.N])
	e.Reward = refill(old.Reward, src.Reward[:src.T])
}

// refill copies src into dst's memory. Growth takes exactly what is needed:
// append would round a buffer of thousands of episodes up to twice its size.
func refill[E any](dst, src []E) []E {
	if cap(dst) < len(src) {
		dst = make([]E, len(src))
	}
	dst = dst[:len(src)]
	copy(dst, src)
	return dst
}

// Check says what is wrong with the shapes of e, if anything.
func (e *Episode) Check() error {
	if e.T < 1 || e.N < 1 || e.A < 1 || e.ObsWidth < 0 || e.StateWidth < 0 {
		return fmt.Errorf("episode %d: T %d, N %d, A %d, observation %d, state %d are no shapes of an episode",
			e.Index, e.T, e.N, e.A, e.ObsWidth, e.StateWidth)
	}
	for _, f := range []struct {
		name      string
		got, want int
	}{
		{"obs", len(e.Obs), (e.T + 1) * e.N * e.ObsWidth},
		{"state", len(e.State), (e.T + 1) * e.StateWidth},
		{"avail", len(e.Avail), (e.T + 1) * e.N * e.A},
		{"actions", len(e.Actions), e.T * e.N},
		{"reward", len(e.Reward), e.T},
	} {
		if f.got != f.want {
			return fmt.Errorf("episode %d with T %d, N %d, A %d: %s has %d values, want %d",
				e.Index, e.T, e.N, e.A, f.name, f.got, f.want)
		}
	}
	return nil
}
