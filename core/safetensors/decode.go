package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Decode reads a whole file; r must end with it. If r has a method Len() int,
// as bytes.Reader has, that many bytes are expected and memory is taken in one
// piece per tensor.
func Decode(r io.Reader) (*File, error) {
	f, err := decode(r)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	return f, nil
}

func decode(r io.Reader) (*File, error) {
	available, sized := -1, false
	if l, ok := r.(interface{ Len() int }); ok {
		available, sized = l.Len(), true
	}
	raw, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	entries, meta, err := parseHeader(raw)
	if err != nil {
		return nil, err
	}
	total, err := checkLayout(entries)
	if err != nil {
		return nil, err
	}
	if sized && available-8-len(raw) != total {
		return nil, fmt.Errorf("the header describes %d bytes of data, the file holds %d", total, available-8-len(raw))
	}
	f := &File{Meta: meta, tensors: make(map[string]tensor, len(entries))}
	buf := make([]byte, chunk)
	for _, e := range entries {
		v, err := e.kind.readFrom(r, e.count, sized, buf)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", e.name, err)
		}
		f.tensors[e.name] = tensor{v, e.shape}
	}
	if n, err := io.ReadFull(r, buf[:1]); n > 0 {
		return nil, fmt.Errorf("bytes follow the %d bytes of data that the header describes", total)
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return f, nil
}

func readHeader(r io.Reader) ([]byte, error) {
	var prefix [8]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, fmt.Errorf("the 8 bytes of the header length: %w", err)
	}
	n := binary.LittleEndian.Uint64(prefix[:])
	if n < 2 || n > maxHeader {
		return nil, fmt.Errorf("a header length of %d is outside 2..%d: not a safetensors file", n, maxHeader)
	}
	var b bytes.Buffer
	if got, err := io.CopyN(&b, r, int64(n)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("%d of %d header bytes arrived: %w", got, n, err)
	}
	return b.Bytes(), nil
}

// checkLayout sorts the entries by their place in the data and demands that
// they cover it without gap or overlap. It returns the number of data bytes.
func checkLayout(entries []entry) (int, error) {
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end), cmp.Compare(a.name, b.name))
	})
	at := 0
	for i := range entries {
		e := &entries[i]
		if e.begin != at {
			return 0, fmt.Errorf("tensor %q starts at byte %d, the data before it ends at %d", e.name, e.begin, at)
		}
		n, ok := elements(e.shape)
		if !ok || e.end < e.begin || n != (e.end-e.begin)/e.kind.width() || (e.end-e.begin)%e.kind.width() != 0 {
			return 0, fmt.Errorf("tensor %q: %s of shape %v does not fill bytes %d to %d", e.name, e.kind.dtype(), e.shape, e.begin, e.end)
		}
		e.count, at = n, e.end
	}
	return at, nil
}
