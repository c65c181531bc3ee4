package wire

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// Number is the set of element types that tensors have on the wire.
type Number interface{ float32 | int32 }

// littleEndian says that memory already holds what the wire wants.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Bytes shows x in the wire's form. On little-endian machines the result is x's
// own memory: it must not change while a call is going on.
func Bytes[T Number](x []T) []byte {
	if len(x) == 0 {
		return nil
	}
	b := memory(x)
	if littleEndian {
		return b
	}
	return swapped(b)
}

// Fill copies a tensor of exactly len(dst) elements into dst; name is the word
// for it in the error.
func Fill[T Number](name string, dst []T, b []byte) error {
	if len(b) != 4*len(dst) {
		return fmt.Errorf("%s: %d bytes, want %d (%d numbers of 4 bytes)", name, len(b), 4*len(dst), len(dst))
	}
	if len(dst) == 0 {
		return nil
	}
	if !littleEndian {
		b = swapped(b)
	}
	copy(memory(dst), b)
	return nil
}

// Numbers copies a tensor of any length; nil for an empty one.
func Numbers[T Number](name string, b []byte) ([]T, error) {
	if len(b)%4 != 0 {
		return nil, fmt.Errorf("%s: %d bytes are no whole number of 4-byte numbers", name, len(b))
	}
	if len(b) == 0 {
		return nil, nil
	}
	x := make([]T, len(b)/4)
	return x, Fill(name, x, b)
}

// Present is Bytes for an optional field: nil stays absent, an empty tensor does not.
func Present[T Number](x []T) []byte {
	if x == nil {
		return nil
	}
	return append([]byte{}, Bytes(x)...)
}

// Optional is Numbers for an optional field: only an absent one is nil.
func Optional[T Number](name string, b []byte) ([]T, error) {
	if b == nil {
		return nil, nil
	}
	x, err := Numbers[T](name, b)
	if x == nil {
		x = []T{}
	}
	return x, err
}

func memory[T Number](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}

// swapped reverses the bytes of every 4-byte number, in a copy.
func swapped(b []byte) []byte {
	out := make([]byte, len(b))
	for i := 0; i < len(b); i += 4 {
		binary.BigEndian.PutUint32(out[i:], binary.LittleEndian.Uint32(b[i:]))
	}
	return out
}

// NotFinite returns the index of the first float32 of a tensor that is infinite
// or not a number, -1 if there is none.
func NotFinite(b []byte) int {
	const exponent = 0x7f800000
	for i := 0; i+4 <= len(b); i += 4 {
		if binary.LittleEndian.Uint32(b[i:])&exponent == exponent {
			return i / 4
		}
	}
	return -1
}
