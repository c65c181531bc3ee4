package export

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is an encoded protocol buffer that grows field by field.
type message []byte

func (m *message) int(field protowire.Number, v int64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(v))
}

// bytes adds a field of bytes, which may be an encoded message.
func (m *message) bytes(field protowire.Number, b []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), b)
}

func (m *message) text(field protowire.Number, s string) { m.bytes(field, []byte(s)) }

// littleEndian is the raw form of a tensor's data.
func littleEndian(data []float32) []byte {
	b := make([]byte, 0, 4*len(data))
	for _, x := range data {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}
