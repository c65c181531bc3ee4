package episode

import (
	"fmt"

	"macpro/core/rng"
	"macpro/core/safetensors"
)

// Ring is the replay buffer D: the newest episodes of one task, up to a fixed
// number. It copies what it is given into slots that it keeps for ever.
type Ring struct {
	slots []*Episode
	cap   int
	first int // slot of the oldest episode
	n     int
	sampler
}

// NewRing makes a buffer for up to capacity episodes; its memory is taken as
// episodes arrive.
func NewRing(capacity int) *Ring { return &Ring{cap: max(1, capacity)} }

// Len is the number of stored episodes, Cap the largest.
func (r *Ring) Len() int { return r.n }

// Cap is the number of episodes at which the oldest gives way.
func (r *Ring) Cap() int { return r.cap }

// At returns the i-th oldest episode, which belongs to the buffer.
func (r *Ring) At(i int) *Episode { return r.slots[(r.first+i)%len(r.slots)] }

// Insert stores a copy of e in place of the oldest episode if the buffer is
// full. Episodes that At or Sample gave out may change with it.
func (r *Ring) Insert(e *Episode) {
	if r.n == len(r.slots) && r.n < r.cap {
		// Slots are only appended while the oldest is in slot 0.
		r.slots = append(r.slots, new(Episode))
	}
	if r.n == len(r.slots) {
		r.At(0).CopyFrom(e)
		r.first = (r.first + 1) % len(r.slots)
		return
	}
	r.n++
	r.At(r.n - 1).CopyFrom(e)
}

// Clear forgets all episodes but keeps their memory.
func (r *Ring) Clear() { r.first, r.n = 0, 0 }

// Sample fills dst with distinct episodes, uniformly and in random order. They
// belong to the buffer and are valid until the next Insert. More than are
// stored is an error.
func (r *Ring) Sample(dst []*Episode, from *rng.Stream) error {
	if len(dst) > r.n {
		return fmt.Errorf("replay buffer: %d episodes wanted, %d stored", len(dst), r.n)
	}
	for i, k := range r.draw(len(dst), r.n, from) {
		dst[i] = r.At(k)
	}
	return nil
}

// Put adds the buffer's contents to f, oldest first, under names that start
// with prefix. The tensors refer to the buffer until f is encoded.
func (r *Ring) Put(f *safetensors.File, prefix string) {
	eps := make([]*Episode, r.n)
	for i := range eps {
		eps[i] = r.At(i)
	}
	PutEpisodes(f, prefix, eps)
}

// Get replaces the contents by those that Put added. More episodes than the
// buffer can hold are an error, which leaves it as it was.
func (r *Ring) Get(f *safetensors.File, prefix string) error {
	eps, err := GetEpisodes(f, prefix)
	if err != nil {
		return err
	}
	if len(eps) > r.cap {
		return fmt.Errorf("replay buffer: %d episodes saved, room for %d (buffer_size)", len(eps), r.cap)
	}
	r.slots, r.first, r.n = eps, 0, len(eps)
	return nil
}
