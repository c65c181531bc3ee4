package episode

import (
	"slices"

	"macpro/core/rng"
)

// kept is a stored episode: its scalars, and its arrays as words on pages.
type kept struct {
	Episode // without arrays
	pages   []*page
	words   int
}

// page is the unit in which stores use memory. Episodes have many lengths;
// with pages of one size what one leaves fits any other.
type page [256]uint32

// slab is the number of pages that are taken from the heap at a time.
const slab = 256

// keeper holds the memory of a store. It never gives any back and takes more
// only when more is stored than ever before.
type keeper struct {
	free  []*page
	spare []*kept
	packer
}

func (s *keeper) keep(e *Episode) *kept { return s.put(e, s.pack(e)) }

// put stores the scalars of e and its arrays, which are packed in words.
func (s *keeper) put(e *Episode, words []uint32) *kept {
	if len(s.spare) == 0 {
		s.spare = append(s.spare, new(kept))
	}
	k := s.spare[len(s.spare)-1]
	s.spare = s.spare[:len(s.spare)-1]
	k.Episode, k.words = e.scalars(), len(words)
	n := (len(words) + len(page{}) - 1) / len(page{})
	if cap(k.pages) < n {
		k.pages = make([]*page, 0, n)
	}
	for len(words) > 0 {
		if len(s.free) == 0 {
			more := make([]page, slab)
			for i := range more {
				s.free = append(s.free, &more[i])
			}
		}
		p := s.free[len(s.free)-1]
		s.free = s.free[:len(s.free)-1]
		words = words[copy(p[:], words):]
		k.pages = append(k.pages, p)
	}
	return k
}

// drop forgets a stored episode; nil is none.
func (s *keeper) drop(k *kept) {
	if k == nil {
		return
	}
	s.free = append(s.free, k.pages...)
	k.pages = k.pages[:0]
	s.spare = append(s.spare, k)
}

// open makes *dst a copy of a stored episode, in its own memory where that
// suffices; a nil *dst becomes a new episode.
func (s *keeper) open(k *kept, dst **Episode) {
	if *dst == nil {
		*dst = new(Episode)
	}
	e := *dst
	old := *e
	*e = k.Episode
	e.Obs, e.State, e.Avail, e.Actions, e.Reward = old.Obs, old.State, old.Avail, old.Actions, old.Reward
	s.words = s.words[:0]
	for p := range k.parts() {
		s.words = append(s.words, p...)
	}
	s.unpack(e, s.words)
}

// parts yields the words of the pages.
func (k *kept) parts() func(yield func([]uint32) bool) {
	return func(yield func([]uint32) bool) {
		left := k.words
		for _, p := range k.pages {
			if !yield(p[:min(left, len(p))]) {
				return
			}
			left -= len(p)
		}
	}
}

// scalars is e without its arrays.
func (e *Episode) scalars() Episode {
	s := *e
	s.Obs, s.State, s.Avail, s.Actions, s.Reward = nil, nil, nil, nil, nil
	return s
}

// list holds the episodes of one task, oldest first.
type list struct {
	task int
	eps  []*kept
}

// remove takes out the i-th oldest and returns it.
func (l *list) remove(i int) *kept {
	e := l.eps[i]
	l.eps = slices.Delete(l.eps, i, i+1)
	return e
}

// sampler draws distinct numbers of [0,n) into memory that it keeps.
type sampler struct{ picks, scratch []int }

func (s *sampler) draw(k, n int, from *rng.Stream) []int {
	if cap(s.picks) < k {
		s.picks = make([]int, k)
	}
	if cap(s.scratch) < n {
		s.scratch = make([]int, n+n/4)
	}
	s.picks = s.picks[:k]
	from.Sample(s.picks, s.scratch[:n], n)
	return s.picks
}
