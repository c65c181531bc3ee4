package safetensors

import (
	"encoding/binary"
	"fmt"
	"io"
	"unsafe"
)

// chunk is the number of bytes that are converted at a time.
const chunk = 64 << 10

// values hides the element type of a tensor's data.
type values interface {
	dtype() string
	width() int // bytes per element
	count() int
	writeTo(w io.Writer, buf []byte) error
	// readFrom returns n values read from r. If trusted, all memory is taken
	// at once, else as the data arrives.
	readFrom(r io.Reader, n int, trusted bool, buf []byte) (values, error)
}

// typed is the data of a tensor with elements of type E.
type typed[E Element] []E

// kinds holds an empty value of each dtype, by its name in the header.
var kinds = func() map[string]values {
	m := map[string]values{}
	for _, v := range []values{
		typed[float32]{}, typed[float64]{}, typed[int32]{}, typed[int64]{}, typed[uint32]{}, typed[uint64]{}, typed[uint8]{},
	} {
		m[v.dtype()] = v
	}
	return m
}()

func (typed[E]) dtype() string {
	switch any(*new(E)).(type) {
	case float32:
		return "F32"
	case float64:
		return "F64"
	case int32:
		return "I32"
	case int64:
		return "I64"
	case uint32:
		return "U32"
	case uint64:
		return "U64"
	default:
		return "U8"
	}
}

func (typed[E]) width() int   { return int(unsafe.Sizeof(*new(E))) }
func (v typed[E]) count() int { return len(v) }

func (v typed[E]) writeTo(w io.Writer, buf []byte) error {
	for step := chunk / v.width(); len(v) > 0; {
		part := v[:min(step, len(v))]
		b, err := binary.Append(buf[:0], binary.LittleEndian, []E(part))
		if err != nil {
			return err
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		v = v[len(part):]
	}
	return nil
}

func (v typed[E]) readFrom(r io.Reader, n int, trusted bool, buf []byte) (values, error) {
	step := chunk / v.width()
	size := n
	if !trusted {
		size = min(n, step)
	}
	out := make([]E, 0, size)
	for len(out) < n {
		part := min(step, n-len(out))
		b := buf[:part*v.width()]
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, fmt.Errorf("%d of %d values arrived: %w", len(out), n, err)
		}
		if len(out)+part > cap(out) {
			out = append(make([]E, 0, min(n, 2*cap(out)+part)), out...)
		}
		next := out[len(out) : len(out)+part]
		if _, err := binary.Decode(b, binary.LittleEndian, next); err != nil {
			return nil, err
		}
		out = out[:len(out)+part]
	}
	return typed[E](out), nil
}

// pieces is the data of a tensor that lies in several places.
type pieces[E Element] [][]E

func (pieces[E]) dtype() string { return typed[E](nil).dtype() }
func (pieces[E]) width() int    { return typed[E](nil).width() }

func (v pieces[E]) count() int {
	n := 0
	for _, part := range v {
		n += len(part)
	}
	return n
}

func (v pieces[E]) writeTo(w io.Writer, buf []byte) error {
	for _, part := range v {
		if err := typed[E](part).writeTo(w, buf); err != nil {
			return err
		}
	}
	return nil
}

func (pieces[E]) readFrom(r io.Reader, n int, trusted bool, buf []byte) (values, error) {
	return typed[E](nil).readFrom(r, n, trusted, buf)
}
