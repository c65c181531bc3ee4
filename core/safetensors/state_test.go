package safetensors

import (
	"strings"
	"testing"

	"macpro/core/rng"
)

// A stream goes on where it was stored; a state that is none names its tensor.
func TestRestore(t *testing.T) {
	s := rng.New(1).Child("x").Stream()
	s.Uint64()
	f := New()
	Put(f, "stream.x", s.AppendState(nil))
	Put(f, "stream.y", []uint8{1, 2, 3})
	again := rng.New(9).Stream()
	if err := Restore(f, "stream.x", again); err != nil || again.Uint64() != s.Uint64() {
		t.Errorf("the restored stream draws otherwise, %v", err)
	}
	if err := Restore(f, "stream.y", again); err == nil || !strings.Contains(err.Error(), `tensor "stream.y": rng: a stream's state has 25 bytes`) {
		t.Errorf("a state of three bytes: %v", err)
	}
	if err := Restore(f, "stream.z", again); err == nil || !strings.Contains(err.Error(), "stream.z") {
		t.Errorf("no state: %v", err)
	}
}
