// Package rng is the only source of randomness in macpro. One root seed is
// split by names into independent streams; each stream is the Philox4x64-10
// counter-based generator (Salmon et al., 2011), so its whole state is a key
// and a counter that can be saved and restored exactly.
//
// A Source is a point in the tree of names and draws nothing itself:
//
//	root := rng.New(seed)
//	explore := root.Child("explore").Stream()
//	test := root.Child("test", task, mode).ChildInt(tEnv)
//
// Two different paths give independent streams; equal paths give equal streams.
package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Source names a point in the tree of streams.
type Source struct{ key [2]uint64 }

// New returns the root of a run's streams.
func New(seed uint64) Source {
	var b [16]byte
	copy(b[:], "macproV1")
	binary.LittleEndian.PutUint64(b[8:], seed)
	return digest(b[:])
}

// Child returns the source below s that the names lead to.
func (s Source) Child(names ...string) Source {
	for _, n := range names {
		b := s.prefix(nameTag)
		s = digest(append(b, n...))
	}
	return s
}

// ChildInt returns the i-th source below s; it differs from any named child.
func (s Source) ChildInt(i int64) Source {
	b := s.prefix(intTag)
	return digest(binary.LittleEndian.AppendUint64(b, uint64(i)))
}

// Stream returns a new stream at its beginning.
func (s Source) Stream() *Stream {
	st := new(Stream)
	st.key = s.key
	return st
}

const (
	nameTag = 1
	intTag  = 2
)

func (s Source) prefix(tag byte) []byte {
	b := make([]byte, 0, 64)
	b = binary.LittleEndian.AppendUint64(b, s.key[0])
	b = binary.LittleEndian.AppendUint64(b, s.key[1])
	return append(b, tag)
}

func digest(b []byte) Source {
	h := sha256.Sum256(b)
	return Source{key: [2]uint64{
		binary.LittleEndian.Uint64(h[0:8]),
		binary.LittleEndian.Uint64(h[8:16]),
	}}
}

// MarshalBinary returns the point in the tree that s is, 16 bytes, so that a
// plugin in another process draws from the same streams.
func (s Source) MarshalBinary() ([]byte, error) {
	b := binary.LittleEndian.AppendUint64(nil, s.key[0])
	return binary.LittleEndian.AppendUint64(b, s.key[1]), nil
}

// UnmarshalBinary restores a point of MarshalBinary.
func (s *Source) UnmarshalBinary(b []byte) error {
	if len(b) != 16 {
		return fmt.Errorf("rng: a source has 16 bytes, got %d", len(b))
	}
	s.key[0], s.key[1] = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	return nil
}
