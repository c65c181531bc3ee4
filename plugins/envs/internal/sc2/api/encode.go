package api

import (
	"math"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"
)

// Marshal returns the bytes of a message, given as a pointer to its struct. Zero
// values are left out, except where the game wants to see them.
func Marshal(m any) []byte { return appendMessage(nil, reflect.ValueOf(m).Elem()) }

func appendMessage(b []byte, v reflect.Value) []byte {
	for _, f := range layoutOf(v.Type()).fields {
		x := v.Field(f.index)
		switch {
		case repeated(x.Type()):
			for i := range x.Len() {
				b = appendField(b, f.number, x.Index(i))
			}
		case f.always || !x.IsZero():
			b = appendField(b, f.number, x)
		}
	}
	return b
}

func appendField(b []byte, n protowire.Number, v reflect.Value) []byte {
	b = protowire.AppendTag(b, n, wireOf(v.Type()))
	switch v.Kind() {
	case reflect.Bool:
		return protowire.AppendVarint(b, protowire.EncodeBool(v.Bool()))
	case reflect.Int32:
		return protowire.AppendVarint(b, uint64(v.Int()))
	case reflect.Uint32, reflect.Uint64:
		return protowire.AppendVarint(b, v.Uint())
	case reflect.Float32:
		return protowire.AppendFixed32(b, math.Float32bits(float32(v.Float())))
	case reflect.String:
		return protowire.AppendString(b, v.String())
	case reflect.Slice:
		return protowire.AppendBytes(b, v.Bytes())
	case reflect.Pointer:
		v = v.Elem()
	}
	return protowire.AppendBytes(b, appendMessage(nil, v))
}
