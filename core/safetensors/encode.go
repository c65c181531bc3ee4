package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"
)

// maxHeader is the largest header in bytes that readers of the format accept.
const maxHeader = 100_000_000

// Encode writes the file. It returns the first error of Put or of w.
func (f *File) Encode(w io.Writer) error {
	if f.err != nil {
		return f.err
	}
	names := f.Names()
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(f.tensors[b].values.width(), f.tensors[a].values.width())
	})
	header, err := f.header(names)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return fmt.Errorf("safetensors: writing the header: %w", err)
	}
	buf := make([]byte, 0, chunk)
	for _, name := range names {
		if err := f.tensors[name].values.writeTo(w, buf); err != nil {
			return fmt.Errorf("safetensors: writing tensor %q: %w", name, err)
		}
	}
	return nil
}

// header returns the length prefix and the padded JSON for tensors in the order
// of their data.
func (f *File) header(names []string) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 8, 256))
	b.WriteByte('{')
	if len(f.Meta) > 0 {
		fmt.Fprintf(b, `"%s":{`, metadataKey)
		for i, key := range slices.Sorted(maps.Keys(f.Meta)) {
			if !utf8.ValidString(key) || !utf8.ValidString(f.Meta[key]) {
				return nil, fmt.Errorf("safetensors: metadata %q: %q is not valid UTF-8", key, f.Meta[key])
			}
			comma(b, i)
			fmt.Fprintf(b, "%s:%s", quote(key), quote(f.Meta[key]))
		}
		b.WriteByte('}')
	}
	begin := 0
	for i, name := range names {
		t := f.tensors[name]
		end := begin + t.values.count()*t.values.width()
		shape, err := json.Marshal(t.shape)
		if err != nil {
			return nil, err
		}
		comma(b, i+len(f.Meta))
		fmt.Fprintf(b, `%s:{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}`,
			quote(name), t.values.dtype(), shape, begin, end)
		begin = end
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	if b.Len()-8 > maxHeader {
		return nil, fmt.Errorf("safetensors: a header of %d bytes exceeds %d", b.Len()-8, maxHeader)
	}
	binary.LittleEndian.PutUint64(b.Bytes(), uint64(b.Len()-8))
	return b.Bytes(), nil
}

func comma(b *bytes.Buffer, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}

func quote(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return b
}
