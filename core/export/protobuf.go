package export

import (
	"encoding/binary"
	"math"
)

// message is an encoded protocol buffer that grows field by field. ONNX needs
// two of the wire types: varints and length-delimited bytes.
type message []byte

const (
	wireVarint = 0
	wireBytes  = 2
)

func (m *message) tag(field, wire uint64) { *m = binary.AppendUvarint(*m, field<<3|wire) }

// int adds an integer field.
func (m *message) int(field uint64, v int64) {
	m.tag(field, wireVarint)
	*m = binary.AppendUvarint(*m, uint64(v))
}

// bytes adds a field of bytes, which may be an encoded message.
func (m *message) bytes(field uint64, b []byte) {
	m.tag(field, wireBytes)
	*m = binary.AppendUvarint(*m, uint64(len(b)))
	*m = append(*m, b...)
}

func (m *message) text(field uint64, s string) { m.bytes(field, []byte(s)) }

// littleEndian is the raw form of a tensor's data.
func littleEndian(data []float32) []byte {
	b := make([]byte, 0, 4*len(data))
	for _, x := range data {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}
