package safetensors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

type entry struct {
	name       string
	kind       values
	shape      []int
	begin, end int // bytes, relative to the end of the header
	count      int // elements
}

// parseHeader reads the JSON text. Unlike a plain json.Unmarshal it refuses
// duplicate, unknown and missing keys.
func parseHeader(raw []byte) ([]entry, map[string]string, error) {
	if raw[0] != '{' {
		return nil, nil, fmt.Errorf("the header starts with %q, not with '{'", raw[0])
	}
	if !utf8.Valid(raw) {
		return nil, nil, fmt.Errorf("the header is not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	meta := map[string]string{}
	var entries []entry
	err := object(d, func(key string) error {
		if key == metadataKey {
			return object(d, func(k string) error {
				v, err := text(d)
				meta[k] = v
				return err
			})
		}
		e, err := parseEntry(d, key)
		entries = append(entries, e)
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, nil, fmt.Errorf("header: text after the closing brace")
	}
	return entries, meta, nil
}

func parseEntry(d *json.Decoder, name string) (entry, error) {
	if err := checkName(name); err != nil {
		return entry{}, err
	}
	e := entry{name: name, shape: []int{}}
	var offsets []int
	seen := 0
	err := object(d, func(key string) (err error) {
		seen++
		switch key {
		case "dtype":
			var dtype string
			if dtype, err = text(d); err == nil && kinds[dtype] == nil {
				err = fmt.Errorf("dtype %q is not one of F32, F64, I32, I64, U64, U8", dtype)
			}
			e.kind = kinds[dtype]
		case "shape":
			err = integers(d, &e.shape)
		case "data_offsets":
			if err = integers(d, &offsets); err == nil && len(offsets) != 2 {
				err = fmt.Errorf("data_offsets has %d numbers, want 2", len(offsets))
			}
		default:
			err = fmt.Errorf("unknown key %q", key)
		}
		return err
	})
	if err == nil && seen != 3 {
		err = fmt.Errorf("dtype, shape and data_offsets are needed")
	}
	if err != nil {
		return entry{}, fmt.Errorf("tensor %q: %w", name, err)
	}
	e.begin, e.end = offsets[0], offsets[1]
	return e, nil
}

// object reads a JSON object and calls value at each key's value. A key that
// comes twice is an error.
func object(d *json.Decoder, value func(key string) error) error {
	if err := delim(d, '{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := text(d)
		if err != nil {
			return err
		}
		if seen[key] {
			return fmt.Errorf("the key %q comes twice", key)
		}
		seen[key] = true
		if err := value(key); err != nil {
			return err
		}
	}
	return delim(d, '}')
}

func delim(d *json.Decoder, want json.Delim) error {
	t, err := d.Token()
	if err == nil && t != want {
		err = fmt.Errorf("%v in place of %v", t, want)
	}
	return err
}

func text(d *json.Decoder) (string, error) {
	t, err := d.Token()
	if err != nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", fmt.Errorf("%v in place of a string", t)
	}
	return s, nil
}

// integers reads a list of whole numbers >= 0.
func integers(d *json.Decoder, dst *[]int) error {
	if err := delim(d, '['); err != nil {
		return err
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		number, _ := t.(json.Number)
		n, err := strconv.ParseInt(number.String(), 10, strconv.IntSize)
		if err != nil || n < 0 {
			return fmt.Errorf("%v in place of a whole number", t)
		}
		*dst = append(*dst, int(n))
	}
	return delim(d, ']')
}
