package safetensors

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"macpro/core/names"
)

// Element is the set of element types that a tensor may have.
type Element interface {
	float32 | float64 | int32 | int64 | uint32 | uint64 | uint8
}

// metadataKey is the header key of the string metadata; no tensor may use it.
const metadataKey = "__metadata__"

// File is a set of named tensors with string metadata.
type File struct {
	// Meta is free text by key, never nil.
	Meta map[string]string

	tensors map[string]tensor
	err     error // the first error of Put, returned by Encode
}

// tensor is one entry: a slice of one of the Element types and its shape.
type tensor struct {
	values values
	shape  []int
}

// New returns an empty file.
func New() *File {
	return &File{Meta: map[string]string{}, tensors: map[string]tensor{}}
}

// Names returns the names of all tensors in ascending order.
func (f *File) Names() []string {
	return slices.Sorted(maps.Keys(f.tensors))
}

// Has reports whether the file holds a tensor of that name.
func (f *File) Has(name string) bool {
	_, ok := f.tensors[name]
	return ok
}

// Shape returns the shape of a tensor, nil for an unknown name.
func (f *File) Shape(name string) []int { return slices.Clone(f.tensors[name].shape) }

// Put adds a tensor in row-major order. Without a shape it is a vector. The
// data is not copied: it must not change before Encode. A bad name, a
// duplicate or a shape that does not match the data is reported by Encode.
func Put[E Element](f *File, name string, data []E, shape ...int) {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	f.put(name, typed[E](data), shape)
}

// PutParts adds a vector whose values lie in several places, one after the
// other. Like Put it copies nothing; such a tensor can be encoded only.
func PutParts[E Element](f *File, name string, parts [][]E) {
	v := pieces[E](parts)
	f.put(name, v, []int{v.count()})
}

func (f *File) put(name string, v values, shape []int) {
	err := checkName(name)
	if err == nil && f.Has(name) {
		err = fmt.Errorf("safetensors: tensor %q was put twice", name)
	}
	if n, ok := elements(shape); err == nil && (!ok || n != v.count()) {
		err = fmt.Errorf("safetensors: tensor %q: shape %v does not match %d values", name, shape, v.count())
	}
	if err != nil {
		if f.err == nil {
			f.err = err
		}
		return
	}
	f.tensors[name] = tensor{v, slices.Clone(shape)}
}

// Get returns the values of a tensor, which belong to the file. A shape, if
// given, must be that of the tensor. A missing tensor, another element type and
// another shape are errors that name both sides.
func Get[E Element](f *File, name string, shape ...int) ([]E, error) {
	t, ok := f.tensors[name]
	if !ok {
		return nil, f.unknown(name)
	}
	v, ok := t.values.(typed[E])
	if !ok {
		return nil, fmt.Errorf("safetensors: tensor %q is %s, want %s", name, t.values.dtype(), typed[E](nil).dtype())
	}
	if len(shape) > 0 && !slices.Equal(shape, t.shape) {
		return nil, fmt.Errorf("safetensors: tensor %q has shape %v, want %v", name, t.shape, shape)
	}
	return v, nil
}

// Fill copies a tensor into dst, which must have exactly its length; it is Get
// for values that live in a place of their own.
func Fill[E Element](f *File, name string, dst []E, shape ...int) error {
	v, err := Get[E](f, name, shape...)
	if err != nil {
		return err
	}
	if len(v) != len(dst) {
		return fmt.Errorf("safetensors: tensor %q has %d values, want %d", name, len(v), len(dst))
	}
	copy(dst, v)
	return nil
}

// unknown is the error for a name that no tensor has.
func (f *File) unknown(name string) error {
	hint := ""
	if near := names.Nearest(name, f.Names()); near != "" {
		hint = fmt.Sprintf(", did you mean %q?", near)
	}
	return fmt.Errorf("safetensors: none of the %d tensors has the name %q%s", len(f.tensors), name, hint)
}

func checkName(name string) error {
	switch {
	case name == "" || name == metadataKey:
		return fmt.Errorf("safetensors: %q cannot be the name of a tensor", name)
	case !utf8.ValidString(name):
		return fmt.Errorf("safetensors: the name %q is not valid UTF-8", name)
	}
	return nil
}

// elements is the number of elements of a shape; false if a dimension is
// negative or the product overflows.
func elements(shape []int) (int, bool) {
	n := 1
	for _, d := range shape {
		if d < 0 || (d > 0 && n > math.MaxInt/d) {
			return 0, false
		}
		n *= d
	}
	return n, true
}
