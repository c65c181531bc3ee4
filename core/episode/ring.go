package episode

import (
	"fmt"

	"macpro/core/rng"
	"macpro/core/safetensors"
)

// Ring is the replay buffer D: the newest episodes of one task, up to a fixed
// number.
type Ring struct {
	slots []*kept
	cap   int
	first int // slot of the oldest episode
	n     int
	keeper
	sampler
}

// NewRing makes a buffer for up to capacity episodes; its memory is taken as
// episodes arrive.
func NewRing(capacity int) *Ring { return &Ring{cap: max(1, capacity)} }

// Len is the number of stored episodes, Cap the largest.
func (r *Ring) Len() int { return r.n }

// Cap is the number of episodes at which the oldest gives way.
func (r *Ring) Cap() int { return r.cap }

// At returns a copy of the i-th oldest episode.
func (r *Ring) At(i int) (e *Episode) {
	r.Copy(i, &e)
	return e
}

// Copy makes *dst a copy of the i-th oldest episode, in its memory where that
// suffices; a nil *dst becomes a new episode.
func (r *Ring) Copy(i int, dst **Episode) { r.open(*r.slot(i), dst) }

func (r *Ring) slot(i int) **kept { return &r.slots[(r.first+i)%len(r.slots)] }

// Insert stores a copy of e, in place of the oldest episode if the buffer is
// full.
func (r *Ring) Insert(e *Episode) {
	switch {
	case r.n == r.cap:
		r.drop(*r.slot(0))
		*r.slot(0) = r.keep(e)
		r.first = (r.first + 1) % len(r.slots)
		return
	case r.n == len(r.slots): // the oldest is in slot 0
		r.slots = append(r.slots, nil)
	}
	*r.slot(r.n) = r.keep(e)
	r.n++
}

// Clear forgets all episodes but keeps their memory.
func (r *Ring) Clear() {
	for i := range r.n {
		r.drop(*r.slot(i))
	}
	r.first, r.n = 0, 0
}

// Sample fills dst with copies of distinct episodes, uniformly and in random
// order. It uses the memory of the episodes in dst and makes those that are nil.
// More than are stored is an error.
func (r *Ring) Sample(dst []*Episode, from *rng.Stream) error {
	if len(dst) > r.n {
		return fmt.Errorf("replay buffer: %d episodes wanted, %d stored", len(dst), r.n)
	}
	for i, k := range r.draw(len(dst), r.n, from) {
		r.open(*r.slot(k), &dst[i])
	}
	return nil
}

// Put adds the buffer's contents to f, oldest first, under names that start
// with prefix. The tensors refer to the buffer until f is encoded.
func (r *Ring) Put(f *safetensors.File, prefix string) {
	eps := make([]*kept, r.n)
	for i := range eps {
		eps[i] = *r.slot(i)
	}
	save(f, prefix, eps)
}

// Get replaces the contents by those that Put added. More episodes than the
// buffer can hold are an error, which leaves it as it was; it calls the capacity by
// its key.
func (r *Ring) Get(f *safetensors.File, prefix, key string) error {
	s, eps, err := load(f, prefix, r.cap, key)
	if err != nil {
		return fmt.Errorf("replay buffer: %w", err)
	}
	r.keeper, r.slots, r.first, r.n = s, eps, 0, len(eps)
	return nil
}
