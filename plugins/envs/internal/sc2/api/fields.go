package api

import (
	"reflect"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

type field struct {
	index  int // in the struct
	number protowire.Number
	always bool // written even if zero
}

// layout is a message type: its fields in the order of the struct, and by number.
type layout struct {
	fields []field
	byNum  map[protowire.Number]field
}

var layouts sync.Map // reflect.Type -> *layout

// layoutOf reads the tags of a message type. They are constants of this package, so
// a mistake in one is a fault of the program.
func layoutOf(t reflect.Type) *layout {
	if l, ok := layouts.Load(t); ok {
		return l.(*layout)
	}
	l := &layout{byNum: map[protowire.Number]field{}}
	for i := range t.NumField() {
		number, option, _ := strings.Cut(t.Field(i).Tag.Get("pb"), ",")
		n, err := strconv.Atoi(number)
		if err != nil {
			panic("api: " + t.Name() + "." + t.Field(i).Name + " has no number")
		}
		f := field{index: i, number: protowire.Number(n), always: option == "always"}
		l.fields = append(l.fields, f)
		l.byNum[f.number] = f
	}
	layouts.Store(t, l)
	return l
}

// wireOf is the form in which values of a type are written.
func wireOf(t reflect.Type) protowire.Type {
	switch t.Kind() {
	case reflect.Bool, reflect.Int32, reflect.Uint32, reflect.Uint64:
		return protowire.VarintType
	case reflect.Float32:
		return protowire.Fixed32Type
	}
	return protowire.BytesType
}

var bytesType = reflect.TypeFor[[]byte]()

// repeated reports whether a field of type t is a list.
func repeated(t reflect.Type) bool { return t.Kind() == reflect.Slice && t != bytesType }
