package episode

import "macpro/core/rng"

// pool lends episodes and takes them back, so that a store in its steady state
// never allocates.
type pool struct{ free []*Episode }

// copyOf returns an episode of the pool with the contents of src.
func (p *pool) copyOf(src *Episode) *Episode {
	if len(p.free) == 0 {
		p.put(new(Episode))
	}
	e := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	e.CopyFrom(src)
	return e
}

func (p *pool) put(e *Episode) { p.free = append(p.free, e) }

// list holds the episodes of one task, oldest first.
type list struct {
	task int
	eps  []*Episode
}

// remove takes out the i-th oldest and returns it.
func (l *list) remove(i int) *Episode {
	e := l.eps[i]
	copy(l.eps[i:], l.eps[i+1:])
	l.eps[len(l.eps)-1] = nil
	l.eps = l.eps[:len(l.eps)-1]
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
