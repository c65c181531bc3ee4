package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// tensorboard is a view as a TensorBoard event file: TFRecord frames, each with
// one protobuf message Event.
//
//	frame = length u64 | crc(length) u32 | message | crc(message) u32, little-endian
//	Event = wall_time (1, double), step (2, varint), file_version (3, string),
//	        summary (5, message)
//	Summary = value (1, message, repeated)
//	Value = tag (1, string), simple_value (2, float)
//
// crc is CRC-32C, rotated right by 15 bits plus 0xa282ead8.
type tensorboard struct {
	appender
	created float64 // seconds since 1970
	head    []byte  // wall time and step of the event under way
	values  []byte  // its values, as the body of a Summary
	scratch []byte
}

// Numbers of fields.
const (
	eventWallTime    protowire.Number = 1
	eventStep        protowire.Number = 2
	eventFileVersion protowire.Number = 3
	eventSummary     protowire.Number = 5
	summaryValue     protowire.Number = 1
	valueTag         protowire.Number = 1
	valueSimple      protowire.Number = 2
)

// newTensorboard begins the run's event file, whose name depends on the time of
// the run's creation only.
func newTensorboard(fsys FS, dir string, created time.Time) (*tensorboard, error) {
	tb := &tensorboard{created: float64(created.UnixMilli()) / 1000}
	dir = filepath.Join(dir, "tb")
	if err := fsys.MkdirAll(dir); err != nil {
		return nil, err
	}
	var err error
	tb.file, err = fsys.Create(filepath.Join(dir, fmt.Sprintf("events.out.tfevents.%d.macpro", created.Unix())))
	if err != nil {
		return nil, err
	}
	tb.begin(0, 0)
	tb.frame(appendBytes(tb.head, eventFileVersion, "brain.Event:2"))
	return tb, nil
}

func (tb *tensorboard) begin(wall float64, step int64) {
	if tb == nil {
		return
	}
	b := protowire.AppendTag(tb.head[:0], eventWallTime, protowire.Fixed64Type)
	b = protowire.AppendFixed64(b, math.Float64bits(tb.created+wall))
	tb.head = protowire.AppendVarint(protowire.AppendTag(b, eventStep, protowire.VarintType), uint64(step))
	tb.values = tb.values[:0]
}

func (tb *tensorboard) scalar(tag string, x float64) {
	if tb == nil {
		return
	}
	b := protowire.AppendTag(appendBytes(tb.scratch[:0], valueTag, tag), valueSimple, protowire.Fixed32Type)
	tb.scratch = protowire.AppendFixed32(b, math.Float32bits(float32(x)))
	tb.values = appendBytes(tb.values, summaryValue, tb.scratch)
}

// end completes the event, unless it is empty.
func (tb *tensorboard) end() error {
	if tb == nil || len(tb.values) == 0 {
		return nil
	}
	tb.scratch = appendBytes(append(tb.scratch[:0], tb.head...), eventSummary, tb.values)
	tb.frame(tb.scratch)
	if len(tb.pending) < flushBytes {
		return nil
	}
	return tb.flush()
}

// frame appends a message with its checksums. After a failed write the view is
// given up, so that what waits does not grow.
func (tb *tensorboard) frame(message []byte) {
	if tb.broken != nil {
		return
	}
	start := len(tb.pending)
	b := binary.LittleEndian.AppendUint64(tb.pending, uint64(len(message)))
	b = binary.LittleEndian.AppendUint32(b, maskedCRC(b[start:]))
	b = append(b, message...)
	tb.pending = binary.LittleEndian.AppendUint32(b, maskedCRC(message))
}

// flush writes what waits; a failure is reported once.
func (tb *tensorboard) flush() error {
	if tb == nil || tb.broken != nil {
		return nil
	}
	if err := tb.appender.flush(); err != nil {
		tb.broken, tb.pending = err, nil
		return fmt.Errorf("the TensorBoard file ends here, resuming makes it anew: %w", err)
	}
	return nil
}

func (tb *tensorboard) close() error { return tb.file.Close() }

func appendBytes[T string | []byte](b []byte, field protowire.Number, data T) []byte {
	b = protowire.AppendVarint(protowire.AppendTag(b, field, protowire.BytesType), uint64(len(data)))
	return append(b, data...)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func maskedCRC(b []byte) uint32 {
	crc := crc32.Checksum(b, castagnoli)
	return (crc>>15 | crc<<17) + 0xa282ead8
}
