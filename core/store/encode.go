package store

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends the JSON form of a value. Unlike encoding/json it writes
// NaN and infinities as null, in lists and maps too. Keys of maps are sorted.
func AppendJSON(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case float64:
		return appendFloat(b, v, 64), nil
	case float32:
		return appendFloat(b, float64(v), 32), nil
	case int:
		return strconv.AppendInt(b, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case string:
		return appendString(b, v), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case json.Marshaler:
		return appendMarshaled(b, v)
	}
	return appendReflected(b, reflect.ValueOf(v))
}

func appendReflected(b []byte, v reflect.Value) ([]byte, error) {
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(b, v.Uint(), 10), nil
	case reflect.Float32, reflect.Float64:
		return appendFloat(b, v.Float(), v.Type().Bits()), nil
	case reflect.String:
		return appendString(b, v.String()), nil
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool()), nil
	case reflect.Slice, reflect.Array:
		return appendList(b, v)
	case reflect.Map:
		return appendMap(b, v)
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, "null"...), nil
		}
		return AppendJSON(b, v.Elem().Interface())
	}
	return appendMarshaled(b, v.Interface())
}

func appendMarshaled(b []byte, v any) ([]byte, error) {
	data, err := json.Marshal(v)
	return append(b, data...), err
}

func appendList(b []byte, v reflect.Value) ([]byte, error) {
	var err error
	b = append(b, '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = AppendJSON(b, v.Index(i).Interface()); err != nil {
			return b, fmt.Errorf("element %d: %w", i, err)
		}
	}
	return append(b, ']'), nil
}

func appendMap(b []byte, v reflect.Value) ([]byte, error) {
	if v.Type().Key().Kind() != reflect.String {
		return b, fmt.Errorf("a map with keys of type %s has no JSON form", v.Type().Key())
	}
	keys := make([]string, 0, v.Len())
	for _, k := range v.MapKeys() {
		keys = append(keys, k.String())
	}
	slices.Sort(keys)
	var err error
	b = append(b, '{')
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, k), ':')
		value := v.MapIndex(reflect.ValueOf(k).Convert(v.Type().Key()))
		if b, err = AppendJSON(b, value.Interface()); err != nil {
			return b, fmt.Errorf("key %q: %w", k, err)
		}
	}
	return append(b, '}'), nil
}

// appendFloat writes the shortest form that reads back as the same number.
func appendFloat(b []byte, f float64, bits int) []byte {
	a := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(b, "null"...)
	case a == 0 || a >= 1e-6 && a < 1e21:
		return strconv.AppendFloat(b, f, 'f', -1, bits)
	}
	return strconv.AppendFloat(b, f, 'e', -1, bits)
}

// appendString writes a JSON string; plain ASCII, the usual case, is copied.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			data, err := json.Marshal(s)
			if err != nil {
				panic(err) // a string always has a JSON form
			}
			return append(b, data...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
