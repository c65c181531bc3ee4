package episode

import (
	"cmp"
	"fmt"
	"slices"
)

// Shards is the number of parts that a Batch is cut into if nothing else is said.
// Parts may be worked on by as many goroutines; because their number is part of
// the configuration and their results are added in order, the bits of a sum do not
// depend on how many goroutines there were.
const Shards = 2

// Batch arranges episodes of one task for a computation over real time steps
// only. The episodes are sorted by (T descending, Index ascending) and dealt to
// the shards in turn. A Batch refers to the episodes without copying them and
// may be arranged again, without allocating once it has grown.
type Batch struct {
	Parts int // number of shards, set before Arrange; 0 means Shards
	Shard []Shard
	Steps int // transitions of all episodes, the sum of the loss mask

	N, A, ObsWidth, StateWidth int // shapes that all episodes share

	sorted []*Episode
}

// Shard is one part of a Batch. Its records are laid out time-major without
// padding: record t of its episode b is row First[t]+b, and only the episodes
// with T >= t, a prefix, have a record t.
//
// The transitions are laid out likewise. The transition out of record t exists
// exactly if record t+1 does. So transition t of episode b is number
// First[t+1]+b-len(Episodes). The record that follows transition k is row
// k+len(Episodes), and the last Steps records are the successors of all
// transitions in order.
type Shard struct {
	Episodes []*Episode // longest first
	Alive    []int      // [longest T + 1], episodes that have a record t
	First    []int      // [longest T + 2], row of the first record at t, then Records
	Records  int        // sum of T+1
	Steps    int        // sum of T
}

// Arrange replaces the contents of b. Episodes of unlike shapes, episodes
// without transitions and an empty list are errors.
func (b *Batch) Arrange(episodes []*Episode) error {
	if len(episodes) == 0 {
		return fmt.Errorf("batch: no episodes")
	}
	first := episodes[0]
	b.N, b.A, b.ObsWidth, b.StateWidth = first.N, first.A, first.ObsWidth, first.StateWidth
	b.Steps = 0
	for _, e := range episodes {
		if err := b.fits(e); err != nil {
			return err
		}
		b.Steps += e.T
	}
	b.sorted = append(b.sorted[:0], episodes...)
	slices.SortStableFunc(b.sorted, func(x, y *Episode) int {
		return cmp.Or(cmp.Compare(y.T, x.T), cmp.Compare(x.Index, y.Index))
	})
	if parts := cmp.Or(b.Parts, Shards); len(b.Shard) != parts {
		b.Shard = make([]Shard, parts)
	}
	for i := range b.Shard {
		s := &b.Shard[i]
		s.Episodes = s.Episodes[:0]
		for j := i; j < len(b.sorted); j += len(b.Shard) {
			s.Episodes = append(s.Episodes, b.sorted[j])
		}
		s.arrange()
	}
	return nil
}

// fits reports how an episode differs from the first of the batch.
func (b *Batch) fits(e *Episode) error {
	if e.N != b.N || e.A != b.A || e.ObsWidth != b.ObsWidth || e.StateWidth != b.StateWidth {
		return fmt.Errorf("batch: episode %d of task %d has %d agents, %d actions, observations of %d and states of %d; the first has %d, %d, %d, %d",
			e.Index, e.Task, e.N, e.A, e.ObsWidth, e.StateWidth, b.N, b.A, b.ObsWidth, b.StateWidth)
	}
	if e.T < 1 {
		return fmt.Errorf("batch: episode %d of task %d has no transitions", e.Index, e.Task)
	}
	return nil
}

// arrange lays out the records of s.Episodes, which are sorted.
func (s *Shard) arrange() {
	s.Alive, s.First = s.Alive[:0], append(s.First[:0], 0)
	s.Records, s.Steps = 0, 0
	if len(s.Episodes) == 0 {
		return
	}
	alive := len(s.Episodes)
	for t := range s.Episodes[0].T + 1 {
		for s.Episodes[alive-1].T < t {
			alive--
		}
		s.Alive = append(s.Alive, alive)
		s.Records += alive
		s.First = append(s.First, s.Records)
	}
	s.Steps = s.Records - len(s.Episodes)
}

// Record is the row of record t of episode b.
func (s *Shard) Record(t, b int) int { return s.First[t] + b }

// Transition is the number of transition t of episode b.
func (s *Shard) Transition(t, b int) int { return s.First[t+1] + b - len(s.Episodes) }
