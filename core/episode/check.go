package episode

import "fmt"

// Check says what is wrong with the shapes of e, if anything.
func (e *Episode) Check() error {
	if e.T < 1 || e.N < 1 || e.A < 1 || e.ObsWidth < 0 || e.StateWidth < 0 {
		return e.noShapes()
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

func (e *Episode) noShapes() error {
	return fmt.Errorf("episode %d: T %d, N %d, A %d, observation %d, state %d are no shapes of an episode",
		e.Index, e.T, e.N, e.A, e.ObsWidth, e.StateWidth)
}
