// Package episode stores trajectories. An Episode with T transitions holds T+1
// records: record T is what was seen after the last action. Episodes are kept
// unpadded; no consumer may ever read beyond them, so no padding value can leak
// into a loss.
package episode

import "fmt"

// Episode is one trajectory of a team of N agents with A actions.
type Episode struct {
	Task  int    // index of the task in the run's sequence, -1 outside of it
	Head  int    // id of the head that acted, the group of the episode
	Index int64  // number of the training episode in its run
	Seed  uint64 // seed given to the environment

	T          int // transitions
	N, A       int // agents, actions
	ObsWidth   int
	StateWidth int

	Obs     []float32 // [T+1, N, ObsWidth]
	State   []float32 // [T+1, StateWidth]
	Avail   []uint8   // [T+1, N, A]
	Actions []int32   // [T, N]
	Reward  []float32 // [T]

	// Terminated: the last transition reached a terminal state. Otherwise the
	// episode was cut by the time limit.
	Terminated bool
	Won        bool
}

// Return is the undiscounted sum of rewards.
func (e *Episode) Return() float64 {
	sum := 0.0
	for _, r := range e.Reward[:e.T] {
		sum += float64(r)
	}
	return sum
}

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

// refill copies src into dst's memory.
func refill[E any](dst, src []E) []E {
	dst = resized(dst, len(src))
	copy(dst, src)
	return dst
}
