package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"macpro/core"
	"macpro/core/record"
)

// scalarEvent is a decoded TensorBoard event.
type scalarEvent struct {
	version string
	wall    float64
	step    uint64
	values  map[string]float32
}

// unframe checks TFRecord frames bit by bit, with a CRC of its own making.
func unframe(t *testing.T, data []byte) (messages [][]byte) {
	t.Helper()
	check := func(b []byte, masked uint32) {
		rot := masked - 0xa282ead8
		if crc := rot<<15 | rot>>17; crc != bitwiseCRC32C(b) {
			t.Fatalf("checksum %08x of %q", crc, b)
		}
	}
	for len(data) > 0 {
		n := binary.LittleEndian.Uint64(data)
		check(data[:8], binary.LittleEndian.Uint32(data[8:]))
		check(data[12:12+n], binary.LittleEndian.Uint32(data[12+n:]))
		messages = append(messages, data[12:12+n])
		data = data[16+n:]
	}
	return messages
}

// bitwiseCRC32C is the checksum by its definition: polynomial 0x1edc6f41,
// reflected.
func bitwiseCRC32C(b []byte) uint32 {
	crc := ^uint32(0)
	for _, c := range b {
		crc ^= uint32(c)
		for range 8 {
			low := crc & 1
			crc = crc>>1 ^ low*0x82f63b78
		}
	}
	return ^crc
}

// fields decodes one level of a protobuf message.
func fields(t *testing.T, b []byte, f func(number protowire.Number, value uint64, data []byte)) {
	t.Helper()
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		var v uint64
		var v32 uint32
		var data []byte
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			v, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			data, n = protowire.ConsumeBytes(b)
		case protowire.Fixed32Type:
			v32, n = protowire.ConsumeFixed32(b)
			v = uint64(v32)
		default:
			t.Fatalf("wire type %d", kind)
		}
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		f(number, v, data)
		b = b[n:]
	}
}

func decodeEvent(t *testing.T, b []byte) scalarEvent {
	e := scalarEvent{values: map[string]float32{}}
	fields(t, b, func(number protowire.Number, v uint64, data []byte) {
		switch number {
		case 1:
			e.wall = math.Float64frombits(v)
		case 2:
			e.step = v
		case 3:
			e.version = string(data)
		case 5:
			fields(t, data, func(_ protowire.Number, _ uint64, value []byte) {
				var tag string
				fields(t, value, func(number protowire.Number, v uint64, data []byte) {
					if number == 1 {
						tag = string(data)
					} else {
						e.values[tag] = math.Float32frombits(uint32(v))
					}
				})
			})
		}
	})
	return e
}

// emitTests writes train and test rows of two steps.
func emitTests(t *testing.T, r *Run, from int64) {
	t.Helper()
	for i := from; i < from+2; i++ {
		step := 1000 * i
		for _, e := range []core.Event{
			{Kind: "train", TEnv: step, Task: "a", Fields: map[string]any{"loss": float32(0.1), "note": "x", "bad": math.NaN()}},
			{Kind: "test", TEnv: step, Task: "a", Fields: map[string]any{"mode": "ctde", "return_mean": 0.25, "seen": true, "index": 0, "score": nil}},
			{Kind: "test", TEnv: step, Task: "b", Fields: map[string]any{"mode": "ctde", "return_mean": 0.5, "seen": true, "index": 1, "score": nil}},
			{Kind: "test", TEnv: step, Task: "b", Fields: map[string]any{"mode": "oracle", "return_mean": 1, "seen": true, "index": 1, "score": nil}},
			{Kind: "test", TEnv: step, Task: "c", Fields: map[string]any{"mode": "ctde", "return_mean": 9, "seen": false, "index": 2, "score": nil}},
			{Kind: "alarm", TEnv: step, Fields: map[string]any{"q": 1e9}},
		} {
			if err := r.Emit(e); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The bytes of one event, written out by hand.
func TestTensorboardEvent(t *testing.T) {
	tb := &tensorboard{created: 1}
	tb.begin(0.5, 300)
	tb.scalar("loss", 0.25)
	if err := tb.end(); err != nil {
		t.Fatal(err)
	}
	want := "\x09\x00\x00\x00\x00\x00\x00\xf8\x3f" + // wall_time 1.5
		"\x10\xac\x02" + // step 300
		"\x2a\x0d" + // summary of 13 bytes
		"\x0a\x0b" + "\x0a\x04loss" + "\x15\x00\x00\x80\x3e" // value: tag, simple_value 0.25
	if messages := unframe(t, tb.pending); len(messages) != 1 || string(messages[0]) != want {
		t.Errorf("%q, want %q", messages, want)
	}
}

// A task that a sequence has twice has two curves, name and name#2, with one
// point a step in both views.
func TestViewsOfARepeatedTask(t *testing.T) {
	r, m := newRun(t, sound)
	for step := int64(1); step <= 3; step++ {
		for i, task := range []string{"a", "b", "a"} {
			test := record.Test{At: record.At{TEnv: step, Task: task}, Mode: "ctde", Index: i, Seen: true, Score: float64(step) + float64(i)/4}
			if err := r.Emit(record.Event(test)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := r.Finish(record.Result{}); err != nil {
		t.Fatal(err)
	}
	data, err := ReadFile(m, filepath.Join(r.Dir(), "tb", fmt.Sprintf("events.out.tfevents.%d.macpro", testManifest().Created.Unix())))
	if err != nil {
		t.Fatal(err)
	}
	tb := map[string][]float32{}
	for _, message := range unframe(t, data) {
		for tag, x := range decodeEvent(t, message).values {
			tb[tag] = append(tb[tag], x)
		}
	}
	var sacred map[string]struct{ Steps, Values []float64 }
	data, err = ReadFile(m, filepath.Join(r.Dir(), "sacred", "1", "metrics.json"))
	if err == nil {
		err = json.Unmarshal(data, &sacred)
	}
	if err != nil {
		t.Fatal(err)
	}
	for label, add := range map[string]float32{"a": 0, "b": .25, "a#2": .5} {
		want := []float32{1 + add, 2 + add, 3 + add}
		if got := tb["test/score/"+label+"/ctde"]; !slices.Equal(got, want) {
			t.Errorf("TensorBoard has %v of %s, want %v", got, label, want)
		}
		c := sacred["test_score/"+label+"/ctde"]
		if !slices.Equal(c.Steps, []float64{1, 2, 3}) || len(c.Values) != 3 || c.Values[2] != float64(want[2]) {
			t.Errorf("Sacred has %+v of %s, want %v", c, label, want)
		}
	}
}

func TestTensorboardFile(t *testing.T) {
	r, m := newRun(t, sound)
	emitTests(t, r, 1)
	if err := r.Finish(record.Result{}); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(r.Dir(), "tb", fmt.Sprintf("events.out.tfevents.%d.macpro", testManifest().Created.Unix()))
	data, err := ReadFile(m, name)
	if err != nil {
		t.Fatal(err)
	}
	messages := unframe(t, data)
	if len(messages) != 13 {
		t.Fatalf("%d events, want a version and 12", len(messages))
	}
	first := decodeEvent(t, messages[0])
	if first.version != "brain.Event:2" || first.wall != float64(testManifest().Created.Unix()) {
		t.Errorf("first event %+v", first)
	}
	want := []map[string]float32{{"train/loss": 0.1, "loss": 0.1}, {"test/return_mean/a/ctde": 0.25},
		{"test/return_mean/b/ctde": 0.5}, {"test/return_mean/b/oracle": 1}, {"test/return_mean/c/ctde": 9}, {"test_return_mean": 0.375}}
	for i, b := range messages[1:] {
		e := decodeEvent(t, b)
		if e.step != uint64(1000*(1+i/6)) || e.wall <= first.wall || fmt.Sprint(e.values) != fmt.Sprint(want[i%6]) {
			t.Errorf("event %d: %+v", i, e)
		}
	}
}

func TestKnownChecksum(t *testing.T) {
	// The check value of CRC-32C for the nine digits.
	if crc := bitwiseCRC32C([]byte("123456789")); crc != 0xe3069283 || crc != crc32.Checksum([]byte("123456789"), castagnoli) {
		t.Errorf("crc %08x", crc)
	}
}

// readJSON reads one of the files in sacred/1.
func readJSON[T any](t *testing.T, m *memFS, r *Run, name string) (v T) {
	t.Helper()
	data, err := ReadFile(m, filepath.Join(r.Dir(), sacredDir, name))
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSacredFiles(t *testing.T) {
	r, m := newRun(t, sound)
	emitTests(t, r, 1)
	if _, err := fmt.Fprintln(r.Log(), "hello"); err != nil {
		t.Fatal(err)
	}
	if err := r.Fail(errFault); err != nil {
		t.Fatal(err)
	}
	config := readJSON[map[string]any](t, m, r, "config.json")
	for key, want := range map[string]any{"name": "macpro", "env": "lbf", "seed": 3.0, "common_reward": true,
		"reward_scalarisation": "sum", "mixer": "qmix", "t_max": 5000.0, "gamma": 0.99, "env_args": map[string]any{"sight": 2.0, "key": "train"}} {
		if fmt.Sprint(config[key]) != fmt.Sprint(want) {
			t.Errorf("config %s = %v, want %v", key, config[key], want)
		}
	}
	type curve struct {
		Steps      []int64
		Timestamps []string
		Values     []float64
	}
	metrics := readJSON[map[string]curve](t, m, r, "metrics.json")
	for name, want := range map[string]float64{"loss": 0.1, "test_return_mean": 0.375, "test_return_mean/a/ctde": 0.25, "test_return_mean/b/oracle": 1} {
		c := metrics[name]
		if !slices.Equal(c.Steps, []int64{1000, 2000}) || !slices.Equal(c.Values, []float64{want, want}) || len(c.Timestamps) != 2 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if stamp := metrics["loss"].Timestamps[0]; !strings.HasPrefix(stamp, "2026-11-27T10:00:0") || len(stamp) != len("2026-11-27T10:00:00.000000") {
		t.Errorf("timestamp %q", stamp)
	}
	if info := readJSON[map[string][]float64](t, m, r, "info.json"); !slices.Equal(info["test_return_mean_T"], []float64{1000, 2000}) {
		t.Errorf("info %v", info)
	}
	if run := readJSON[map[string]any](t, m, r, "run.json"); run["status"] != "FAILED" || run["stop_time"] == nil {
		t.Errorf("run %v", run)
	}
	for _, name := range []string{"log.txt", "sacred/1/cout.txt"} {
		if text, err := ReadFile(m, filepath.Join(r.Dir(), name)); err != nil || string(text) != "hello\n" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// TestViewsAreMadeAnew compares the views right after resuming with those that
// were written from the same rows while training.
func TestViewsAreMadeAnew(t *testing.T) {
	r, m := newRun(t, sound)
	emitTests(t, r, 1)
	if err := put(r, 2000, "x"); err != nil {
		t.Fatal(err)
	}
	r.refresh(record.Running)
	names := []string{"sacred/1/metrics.json", "sacred/1/info.json",
		fmt.Sprintf("tb/events.out.tfevents.%d.macpro", testManifest().Created.Unix())}
	before := map[string]string{}
	for _, name := range names {
		data, err := ReadFile(m, filepath.Join(r.Dir(), name))
		if err != nil {
			t.Fatal(err)
		}
		before[name] = string(data)
	}
	emitTests(t, r, 3)
	if err := r.Interrupt(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(m, r.Dir()); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if data, err := ReadFile(m, filepath.Join(r.Dir(), name)); err != nil || string(data) != before[name] {
			t.Errorf("%s differs after resuming, %v", name, err)
		}
	}
}

// TestViewTroubleIsAWarning keeps training when a view cannot be written.
func TestViewTroubleIsAWarning(t *testing.T) {
	armed := false
	r, m := newRun(t, func(_ int, op string) error {
		if armed && (strings.Contains(op, "/tb/") || strings.Contains(op, "/sacred/")) {
			return errFault
		}
		return nil
	})
	var warnings []string
	r.Warn = func(s string) { warnings = append(warnings, s) }
	armed = true
	for i := range int64(10) {
		emitTests(t, r, i)
	}
	if err := put(r, 1, "x"); err != nil {
		t.Fatal(err)
	}
	if len(warnings) == 0 || !strings.Contains(warnings[0], "TensorBoard") {
		t.Errorf("warnings %q", warnings)
	}
	if got, errs := rows(journalOf(t, m, r)); len(got) != 120 || len(errs) > 0 {
		t.Errorf("%d rows, %v", len(got), errs)
	}
}

func TestSeriesIsBoundedAndOrdered(t *testing.T) {
	var s series
	const n = 100000
	for i := range int64(n) {
		s.add(i, float64(i), float64(-i))
	}
	if len(s.steps) > maxPoints || len(s.steps) < maxPoints/2 {
		t.Errorf("%d points", len(s.steps))
	}
	for i, step := range s.steps {
		if step != int64(i*s.stride) || s.values[i] != float64(-step) || s.walls[i] != float64(step) {
			t.Fatalf("point %d is at step %d, stride %d", i, step, s.stride)
		}
	}
}

func TestMeanAmendsItsLastPoint(t *testing.T) {
	m := mean{series: &series{}}
	for step := range int64(2*maxPoints + 1) {
		for _, x := range []float64{1, 2, 6} {
			m.add(step, 0, x)
		}
	}
	for i, x := range m.values {
		if x != 3 || m.steps[i] != int64(i*m.stride) {
			t.Fatalf("point %d: step %d, value %v", i, m.steps[i], x)
		}
	}
}
