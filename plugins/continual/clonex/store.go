package clonex

import (
	"fmt"
	"slices"

	"macpro/core/episode"
	"macpro/core/rng"
	"macpro/core/safetensors"
)

// store keeps episodes and the values [T, n, A] that agents had in them.
type store struct {
	ring   *episode.Ring // never full
	values [][]float32   // by place in the ring
	from   *rng.Stream
	places []int // scratch of draw
}

func newStore(capacity int, from *rng.Stream) *store {
	return &store{ring: episode.NewRing(capacity), from: from}
}

func (s *store) len() int { return len(s.values) }

// choose draws up to n distinct episodes of a buffer.
func (s *store) choose(ring *episode.Ring, n int) ([]*episode.Episode, error) {
	eps := make([]*episode.Episode, min(n, ring.Len()))
	return eps, ring.Sample(eps, s.from)
}

// add keeps copies of episodes and their values.
func (s *store) add(eps []*episode.Episode, values [][]float32) error {
	if s.ring.Len()+len(eps) > s.ring.Cap() {
		return fmt.Errorf("clonex: %d episodes are kept, there is no room for %d more", s.ring.Len(), len(eps))
	}
	for i, e := range eps {
		s.ring.Insert(e)
		s.values = append(s.values, values[i])
	}
	return nil
}

// draw appends up to n distinct kept episodes, drawn uniformly, and their values.
func (s *store) draw(n int, eps []*episode.Episode, values [][]float32) ([]*episode.Episode, [][]float32) {
	s.places = s.places[:0]
	for i := range s.len() {
		s.places = append(s.places, i)
	}
	for i := range min(n, s.len()) {
		j := i + s.from.Intn(s.len()-i)
		s.places[i], s.places[j] = s.places[j], s.places[i]
		eps, values = append(eps, s.ring.At(s.places[i])), append(values, s.values[s.places[i]])
	}
	return eps, values
}

// put adds the store to f, get restores it.
func (s *store) put(f *safetensors.File) {
	s.ring.Put(f, "kept")
	safetensors.Put(f, "kept.q", slices.Concat(s.values...))
	safetensors.Put(f, "stream.clone", s.from.AppendState(nil))
}

func (s *store) get(f *safetensors.File) error {
	if err := safetensors.Restore(f, "stream.clone", s.from); err != nil {
		return err
	}
	if err := s.ring.Get(f, "kept", "clone_episodes"); err != nil {
		return err
	}
	all, err := safetensors.Get[float32](f, "kept.q")
	if err != nil {
		return err
	}
	s.values = nil
	for i := range s.ring.Len() {
		e := s.ring.At(i)
		n := e.T * e.N * e.A
		if n > len(all) {
			return fmt.Errorf("%d kept values are left for episode %d, which has %d", len(all), i, n)
		}
		s.values, all = append(s.values, all[:n:n]), all[n:]
	}
	if len(all) != 0 {
		return fmt.Errorf("%d kept values belong to no episode", len(all))
	}
	return nil
}
