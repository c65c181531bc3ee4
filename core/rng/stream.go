package rng

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// Stream is a sequence of random numbers. The zero Stream is valid but is not
// tied to any seed; get streams from a Source. A Stream is used by one
// goroutine at a time and never allocates.
type Stream struct {
	key  [2]uint64
	ctr  uint64    // the next block; out is that of block ctr-1
	used uint8     // values of out that were handed out
	out  [4]uint64 // the values of a block
}

// FromSeed returns the stream of one seed, such as the seed of an episode. It
// is a value, so that an environment can restart a lane without allocating.
func FromSeed(seed uint64) Stream {
	return Stream{key: [2]uint64{seed, philoxW1}}
}

// Uint64 returns 64 uniform random bits.
func (s *Stream) Uint64() uint64 {
	i := s.used & 3
	if i == 0 {
		s.out = philox([4]uint64{s.ctr, 0, 0, 0}, s.key[0], s.key[1])
		s.ctr++
	}
	s.used = i + 1
	return s.out[i]
}

// Float64 returns a uniform number in [0,1) with 53 random bits.
func (s *Stream) Float64() float64 { return float64(s.Uint64()>>11) * 0x1p-53 }

// Uniform returns a uniform number in [lo,hi).
func (s *Stream) Uniform(lo, hi float64) float64 { return lo + (hi-lo)*s.Float64() }

// Intn returns a uniform integer in [0,n), without bias (Lemire's multiply and
// reject method). It panics if n <= 0, which is a fault of the program.
func (s *Stream) Intn(n int) int {
	if n <= 0 {
		panic(fmt.Sprintf("rng: Intn(%d)", n))
	}
	bound := uint64(n)
	hi, lo := bits.Mul64(s.Uint64(), bound)
	if lo < bound {
		for reject := -bound % bound; lo < reject; {
			hi, lo = bits.Mul64(s.Uint64(), bound)
		}
	}
	return int(hi)
}

// Norm returns a standard normal number (Box-Muller; two draws each, so that
// the number of draws never depends on their values).
func (s *Stream) Norm() float64 {
	u, v := 1-s.Float64(), s.Float64()
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
}

// Perm fills p with a random permutation of 0..len(p)-1.
func (s *Stream) Perm(p []int) {
	for i := range p {
		j := s.Intn(i + 1)
		p[i] = p[j]
		p[j] = i
	}
}

// Sample fills dst with distinct integers of [0,n), uniformly and in random
// order (Floyd's method would bias the order; this is a partial shuffle over a
// scratch slice of length n that the caller owns and that is overwritten).
func (s *Stream) Sample(dst, scratch []int, n int) {
	scratch = scratch[:n]
	for i := range scratch {
		scratch[i] = i
	}
	for i := range dst {
		j := i + s.Intn(n-i)
		scratch[i], scratch[j] = scratch[j], scratch[i]
		dst[i] = scratch[i]
	}
}

// stateSize is the encoded length of a stream's state.
const stateSize = 25

// AppendState appends the state of s to b.
func (s *Stream) AppendState(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, s.key[0])
	b = binary.LittleEndian.AppendUint64(b, s.key[1])
	b = binary.LittleEndian.AppendUint64(b, s.ctr)
	return append(b, s.used)
}

// UnmarshalBinary restores a state of AppendState: the draws that follow are
// those that would have followed then.
func (s *Stream) UnmarshalBinary(b []byte) error {
	if len(b) != stateSize || b[24] > 4 {
		return fmt.Errorf("rng: a stream's state has %d bytes with a last byte of at most 4, got %d bytes", stateSize, len(b))
	}
	s.key[0] = binary.LittleEndian.Uint64(b[0:])
	s.key[1] = binary.LittleEndian.Uint64(b[8:])
	s.ctr = binary.LittleEndian.Uint64(b[16:])
	s.used = b[24]
	if s.ctr > 0 {
		s.out = philox([4]uint64{s.ctr - 1, 0, 0, 0}, s.key[0], s.key[1])
	}
	return nil
}
