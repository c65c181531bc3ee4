// Package safetensors reads and writes named tensors in the safetensors
// format, which Python reads with safetensors.numpy.load_file.
//
// A file is an 8-byte little-endian header length N, N bytes of JSON and the
// raw little-endian data. The JSON maps each name to its dtype, shape and the
// byte range [begin, end) of its data, relative to the end of the header; the
// key "__metadata__" holds a map of strings. Ranges leave no gap and do not
// overlap. The writer pads the header with spaces so that the data starts at a
// multiple of 8, and orders tensors by falling element width, then by name, so
// that every element is aligned. Equal contents give equal bytes.
//
// The dtypes are those that a training state needs: F32, F64, I32, I64, U32,
// U64 and U8. Use:
//
//	f := safetensors.New()
//	f.Meta["layout"] = "1"
//	safetensors.Put(f, "fc.weight", w, 64, 32)
//	err := f.Encode(out)
//
//	f, err := safetensors.Decode(in)
//	err = safetensors.Fill(f, "fc.weight", w, 64, 32)
//
// Decode trusts nothing: a broken, truncated, overlong or contradictory file is
// an error that says what is wrong, and memory is only taken for data that has
// arrived or that the reader says it holds.
package safetensors
