package rng

import (
	"encoding/binary"
	"fmt"
)

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
