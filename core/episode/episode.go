// Package episode stores trajectories. An Episode with T transitions holds T+1
// records: record T is what was seen after the last action. Episodes are kept
// unpadded; no consumer may ever read beyond them, so no padding value can leak
// into a loss.
package episode

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
