package remote_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"syscall"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"macpro/core/rng"
)

// spoil misbehaves in place of an answer, or gives another one.
func spoil(s *rng.Stream, m proto.Message) (proto.Message, error) {
	switch s.Intn(12) {
	case 0:
		os.Exit(s.Intn(5))
	case 1:
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case 2:
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		select {}
	case 3:
		select {}
	case 4:
		panic("\x1b[31mout of cheese")
	case 5:
		return nil, status.Error(codes.Code(1+s.Intn(16)), "\x1b[2Jno \x00 cheese")
	case 6:
		return nil, errors.New(strings.Repeat("cheese ", 1<<s.Intn(20)))
	case 7:
		fmt.Fprint(os.NewFile(1, "stdout"), strings.Repeat("\x1b[5mcheese", 1<<s.Intn(16)))
		return m, nil
	}
	for range 1 + s.Intn(3) {
		spoilField(s, m.ProtoReflect())
	}
	return m, nil
}

// spoilField changes one field of a message, or of one inside.
func spoilField(s *rng.Stream, m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	if fields.Len() == 0 {
		return
	}
	f := fields.Get(s.Intn(fields.Len()))
	switch {
	case s.Intn(6) == 0:
		m.Clear(f)
	case f.IsMap():
		spoilMap(s, m.Mutable(f).Map(), f)
	case f.IsList():
		spoilList(s, m.Mutable(f).List(), f)
	case f.Message() != nil:
		spoilField(s, m.Mutable(f).Message())
	default:
		m.Set(f, spoiledValue(s, f, m.Get(f)))
	}
}

// spoilMap puts something beside what is there.
func spoilMap(s *rng.Stream, m protoreflect.Map, f protoreflect.FieldDescriptor) {
	v := m.NewValue()
	if f.MapValue().Message() == nil {
		v = spoiledValue(s, f.MapValue(), v)
	} else {
		spoilField(s, v.Message())
	}
	m.Set(protoreflect.ValueOfString(strange8(s)).MapKey(), v)
}

// spoilList shortens, repeats or spoils a list.
func spoilList(s *rng.Stream, l protoreflect.List, f protoreflect.FieldDescriptor) {
	n := l.Len()
	switch {
	case n == 0 || s.Intn(3) == 0:
		for range 1 << s.Intn(12) {
			v := l.NewElement()
			if f.Message() == nil {
				v = spoiledValue(s, f, v)
			}
			l.Append(v)
		}
	case s.Intn(2) == 0:
		l.Truncate(s.Intn(n))
	case f.Message() != nil:
		spoilField(s, l.Get(s.Intn(n)).Message())
	default:
		i := s.Intn(n)
		l.Set(i, spoiledValue(s, f, l.Get(i)))
	}
}

// spoiledValue is another value of a scalar field.
func spoiledValue(s *rng.Stream, f protoreflect.FieldDescriptor, old protoreflect.Value) protoreflect.Value {
	whole := []int64{-1, 0, 1, 7, 1e9, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64}[s.Intn(9)]
	real := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 1e300, 3e38, 5e-324}[s.Intn(8)]
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(!old.Bool())
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(whole))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(whole)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(whole))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(uint64(whole))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(real))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(real)
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(strange8(s))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(spoiledBytes(s, old.Bytes()))
	}
	return old
}

// strange8 is a text that nobody expects.
func strange8(s *rng.Stream) string {
	return []string{"", "\x1b[31mred", "a b", "../../x", "first", "train", strings.Repeat("x", 1<<s.Intn(18)), "\u202e", "=1+1"}[s.Intn(9)]
}

// spoiledBytes is a tensor of other content or another length.
func spoiledBytes(s *rng.Stream, old []byte) []byte {
	b := bytes.Clone(old)
	switch {
	case len(b) == 0 || s.Intn(4) == 0:
		return append(b, make([]byte, 1<<s.Intn(20))...)
	case s.Intn(3) == 0:
		return b[:s.Intn(len(b))]
	case s.Intn(2) == 0:
		for range 1 + len(b)/8 {
			b[s.Intn(len(b))] = byte(s.Intn(256))
		}
		return b
	}
	for i := range b {
		b[i] = 0xff // NaN, -1, 255
	}
	return b
}
