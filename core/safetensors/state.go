package safetensors

import (
	"encoding"
	"fmt"
)

// Restore gives s the state that is stored as bytes under a name, such as that of
// a random stream.
func Restore(f *File, name string, s encoding.BinaryUnmarshaler) error {
	state, err := Get[uint8](f, name)
	if err != nil {
		return err
	}
	if err := s.UnmarshalBinary(state); err != nil {
		return fmt.Errorf("tensor %q: %w", name, err)
	}
	return nil
}
