package api

import (
	"fmt"
	"math"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"
)

// Unmarshal reads a message into the struct that m points to, on top of what it
// holds. Fields that the struct does not have are skipped. The bytes are copied.
func Unmarshal(b []byte, m any) error { return readMessage(b, reflect.ValueOf(m).Elem()) }

func readMessage(b []byte, v reflect.Value) error {
	l := layoutOf(v.Type())
	for len(b) > 0 {
		number, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return fmt.Errorf("%s: %w", v.Type().Name(), protowire.ParseError(n))
		}
		b = b[n:]
		f, known := l.byNum[number]
		if !known {
			n = protowire.ConsumeFieldValue(number, wire, b)
			if n < 0 {
				return fmt.Errorf("%s: field %d: %w", v.Type().Name(), number, protowire.ParseError(n))
			}
			b = b[n:]
			continue
		}
		n, err := readField(b, wire, v.Field(f.index))
		if err != nil {
			return fmt.Errorf("%s.%s: %w", v.Type().Name(), v.Type().Field(f.index).Name, err)
		}
		b = b[n:]
	}
	return nil
}

// readField reads one occurrence of a field and returns its length. Lists grow by
// one, or by several if their numbers come packed.
func readField(b []byte, wire protowire.Type, v reflect.Value) (int, error) {
	if !repeated(v.Type()) {
		return readValue(b, wire, v)
	}
	if wire == protowire.BytesType && wireOf(v.Type().Elem()) != protowire.BytesType {
		packed, n := protowire.ConsumeBytes(b)
		if n < 0 {
			return 0, protowire.ParseError(n)
		}
		for len(packed) > 0 {
			used, err := grow(packed, wireOf(v.Type().Elem()), v)
			if err != nil {
				return 0, err
			}
			packed = packed[used:]
		}
		return n, nil
	}
	return grow(b, wire, v)
}

func grow(b []byte, wire protowire.Type, list reflect.Value) (int, error) {
	list.Set(reflect.Append(list, reflect.Zero(list.Type().Elem())))
	return readValue(b, wire, list.Index(list.Len()-1))
}

func readValue(b []byte, wire protowire.Type, v reflect.Value) (int, error) {
	if want := wireOf(v.Type()); wire != want {
		return 0, fmt.Errorf("wire type %d, want %d", wire, want)
	}
	switch wire {
	case protowire.VarintType:
		x, n := protowire.ConsumeVarint(b)
		setNumber(v, x)
		return n, failed(n)
	case protowire.Fixed32Type:
		x, n := protowire.ConsumeFixed32(b)
		v.SetFloat(float64(math.Float32frombits(x)))
		return n, failed(n)
	}
	x, n := protowire.ConsumeBytes(b)
	if n < 0 {
		return n, failed(n)
	}
	return n, setBytes(v, x)
}

func failed(n int) error {
	if n < 0 {
		return protowire.ParseError(n)
	}
	return nil
}

func setNumber(v reflect.Value, x uint64) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(x != 0)
	case reflect.Int32:
		v.SetInt(int64(int32(x)))
	default:
		v.SetUint(x)
	}
}

func setBytes(v reflect.Value, x []byte) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(string(x))
	case reflect.Slice:
		v.SetBytes(append([]byte(nil), x...))
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return readMessage(x, v.Elem())
	default:
		return readMessage(x, v)
	}
	return nil
}
