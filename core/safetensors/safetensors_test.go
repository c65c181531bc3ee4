package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func encode(t testing.TB, f *File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sample() *File {
	f := New()
	f.Meta["kind"] = "sample <&>\n"
	Put(f, "u8", []uint8{1, 2, 3})
	Put(f, "w", []float32{1, -2.5, float32(math.Inf(1)), 0, 1e-40, 7}, 2, 3)
	Put(f, "f64", []float64{math.Pi, math.Copysign(0, -1)})
	Put(f, "i32", []int32{math.MinInt32, 5})
	Put(f, "i64", []int64{math.MinInt64})
	Put(f, "u32", []uint32{math.MaxUint32, 7})
	Put(f, "u64", []uint64{math.MaxUint64})
	Put(f, "none", []float32{}, 0, 4)
	return f
}

func TestRoundTrip(t *testing.T) {
	data := encode(t, sample())
	readers := map[string]io.Reader{
		"sized":    bytes.NewReader(data),
		"unsized":  io.MultiReader(bytes.NewReader(data)),
		"one byte": iotest.OneByteReader(bytes.NewReader(data)),
	}
	for name, r := range readers {
		f, err := Decode(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(encode(t, f), data) {
			t.Errorf("%s: encoding what was decoded gives other bytes", name)
		}
		w := make([]float32, 6)
		if err := Fill(f, "w", w, 2, 3); err != nil || w[1] != -2.5 || w[4] != 1e-40 {
			t.Errorf("%s: w = %v, %v", name, w, err)
		}
		if v, err := Get[uint64](f, "u64"); err != nil || v[0] != math.MaxUint64 {
			t.Errorf("%s: u64 = %v, %v", name, v, err)
		}
	}
}

// TestLongTensorsSurviveChunking crosses the conversion buffer's size.
func TestLongTensorsSurviveChunking(t *testing.T) {
	want := make([]float64, 3*chunk/8+5)
	for i := range want {
		want[i] = float64(i) * 1.25
	}
	f := New()
	Put(f, "x", want)
	data := encode(t, f)
	for _, r := range []io.Reader{bytes.NewReader(data), io.MultiReader(bytes.NewReader(data))} {
		g, err := Decode(r)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Get[float64](g, "x", len(want)); err != nil || !slices.Equal(got, want) {
			t.Errorf("values changed: %v", err)
		}
	}
}

// TestKnownBytes pins the layout of a file byte by byte.
// A vector that lies in parts is written like one that does not.
func TestPartsAreOneTensor(t *testing.T) {
	whole, parts := New(), New()
	Put(whole, "w", []uint32{1, 2, 3, 1 << 31})
	PutParts(parts, "w", [][]uint32{{1}, {}, {2, 3}, nil, {1 << 31}})
	var a, b bytes.Buffer
	if err := errors.Join(whole.Encode(&a), parts.Encode(&b)); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Fatalf("%v, %q and %q", err, a.Bytes(), b.Bytes())
	}
	f, err := Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Get[uint32](f, "w", 4); err != nil || !slices.Equal(got, []uint32{1, 2, 3, 1 << 31}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestKnownBytes(t *testing.T) {
	f := New()
	Put(f, "b", []uint8{9})
	Put(f, "a", []int64{-2}, 1, 1)
	header := `{"a":{"dtype":"I64","shape":[1,1],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[1],"data_offsets":[8,9]}}`
	header += strings.Repeat(" ", 7-(len(header)+7)%8)
	want := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	want = append(want, header...)
	want = append(want, "\xfe\xff\xff\xff\xff\xff\xff\xff\x09"...)
	if got := encode(t, f); !bytes.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestPutReportsMistakes(t *testing.T) {
	cases := map[string]func(*File){
		"twice":             func(f *File) { Put(f, "a", []int32{1}); Put(f, "a", []int32{1}) },
		"shape [2 2]":       func(f *File) { Put(f, "a", []int32{1}, 2, 2) },
		"shape [-1]":        func(f *File) { Put(f, "a", []int32{}, -1) },
		"cannot be":         func(f *File) { Put(f, "__metadata__", []int32{1}) },
		"UTF-8":             func(f *File) { Put(f, "\xff", []int32{1}) },
		"metadata \"k\"":    func(f *File) { f.Meta["k"] = "\xff" },
		"shape [3 -1 -1 1]": func(f *File) { Put(f, "a", []uint8{1, 2, 3}, 3, -1, -1, 1) },
	}
	for want, put := range cases {
		f := New()
		put(f)
		if err := f.Encode(io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

func TestGetNamesBothSides(t *testing.T) {
	f := sample()
	_, missing := Get[float32](f, "u65")
	_, dtype := Get[float64](f, "w")
	_, shape := Get[float32](f, "w", 3, 2)
	length := Fill(f, "w", make([]float32, 5))
	for want, err := range map[string]error{
		`none of the 8 tensors has the name "u65", did you mean "u64"?`: missing,
		`"w" is F32, want F64`:            dtype,
		`"w" has shape [2 3], want [3 2]`: shape,
		`"w" has 6 values, want 5`:        length,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// raw makes a file of a header text and n bytes of data.
func raw(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, n)...)
}

func TestDecodeRefuses(t *testing.T) {
	one := func(s string) []byte { return raw(`{"a":`+s+`}`, 4) }
	cases := []struct {
		name, want string
		data       []byte
	}{
		{"empty", "header length", nil},
		{"huge header", "not a safetensors file", []byte("\xff\xff\xff\xff\xff\xff\xff\x7f{}")},
		{"short header", "2 of 90 header bytes", append(binary.LittleEndian.AppendUint64(nil, 90), "{}"...)},
		{"no brace", "not with '{'", raw(` {}`, 0)},
		{"bad UTF-8", "UTF-8", raw("{\"\xff\":1}", 0)},
		{"after brace", "after the closing brace", raw(`{}x`, 0)},
		{"trailing comma", "header", raw(`{"__metadata__":{},}`, 0)},
		{"twice", `"a" comes twice`, raw(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 2)},
		{"dtype twice", `"dtype" comes twice`, one(`{"dtype":"U8","dtype":"U8","shape":[4],"data_offsets":[0,4]}`)},
		{"dtype", `dtype "BF16"`, one(`{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}`)},
		{"key", `unknown key "Dtype"`, one(`{"Dtype":"F32","shape":[1],"data_offsets":[0,4]}`)},
		{"no shape", "are needed", one(`{"dtype":"F32","data_offsets":[0,4]}`)},
		{"negative", "-1 in place of a whole number", one(`{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}`)},
		{"fraction", "whole number", one(`{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}`)},
		{"string", "whole number", one(`{"dtype":"F32","shape":["1"],"data_offsets":[0,4]}`)},
		{"one offset", "has 1 numbers", one(`{"dtype":"F32","shape":[1],"data_offsets":[0]}`)},
		{"null", "in place of {", one(`null`)},
		{"meta number", "in place of a string", raw(`{"__metadata__":{"a":1}}`, 0)},
		{"empty name", "cannot be", raw(`{"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1)},
		{"overflow", "does not fill", one(`{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]}`)},
		{"backwards", "does not fill", one(`{"dtype":"F32","shape":[1],"data_offsets":[0,-0]}`)},
		{"gap", "starts at byte 2", one(`{"dtype":"U8","shape":[2],"data_offsets":[2,4]}`)},
		{"overlap", "starts at byte 0", raw(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}}`, 3)},
		{"ragged", "does not fill", one(`{"dtype":"F32","shape":[1],"data_offsets":[0,5]}`)},
		{"missing data", "describes 40 bytes", one(`{"dtype":"F32","shape":[10],"data_offsets":[0,40]}`)},
		{"terabyte", "describes", one(`{"dtype":"F32","shape":[1000000000000],"data_offsets":[0,4000000000000]}`)},
		{"extra data", "describes 2 bytes", one(`{"dtype":"U8","shape":[2],"data_offsets":[0,2]}`)},
	}
	for _, c := range cases {
		if _, err := Decode(bytes.NewReader(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want an error with %q, got %v", c.name, c.want, err)
		}
		if _, err := Decode(io.MultiReader(bytes.NewReader(c.data))); err == nil {
			t.Errorf("%s: accepted from a reader of unknown size", c.name)
		}
	}
}

func TestEveryTruncationIsAnError(t *testing.T) {
	data := encode(t, sample())
	for n := range data {
		if _, err := Decode(io.MultiReader(bytes.NewReader(data[:n]))); err == nil {
			t.Fatalf("the first %d of %d bytes were accepted", n, len(data))
		}
	}
}

// failAfter accepts n bytes and then fails.
type failAfter struct{ n int }

var errFull = errors.New("no space left")

func (w *failAfter) Write(p []byte) (int, error) {
	if w.n -= len(p); w.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteErrorsAreReported(t *testing.T) {
	f := sample()
	for n := range encode(t, f) {
		if err := f.Encode(&failAfter{n}); !errors.Is(err, errFull) {
			t.Fatalf("a writer that fails after %d bytes: %v", n, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(f, sample()))
	f.Add(raw(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}`, 4))
	f.Add(raw(`{}`, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Decode(io.MultiReader(bytes.NewReader(data)))
		sized, errSized := Decode(bytes.NewReader(data))
		if (err == nil) != (errSized == nil) {
			t.Fatalf("known and unknown size disagree: %v, %v", err, errSized)
		}
		if err != nil {
			return
		}
		once := encode(t, file)
		again, err := Decode(bytes.NewReader(once))
		if err != nil {
			t.Fatalf("what was decoded does not encode to a valid file: %v", err)
		}
		if !bytes.Equal(encode(t, again), once) || !bytes.Equal(encode(t, sized), once) {
			t.Fatal("encoding is not stable")
		}
	})
}

func benchmarkFile() *File {
	f := New()
	Put(f, "buffer", make([]float32, 1<<20))
	return f
}

func BenchmarkEncode(b *testing.B) {
	f := benchmarkFile()
	b.SetBytes(4 << 20)
	b.ReportAllocs()
	for b.Loop() {
		if err := f.Encode(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	data := encode(b, benchmarkFile())
	b.SetBytes(4 << 20)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}
