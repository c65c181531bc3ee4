package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"macpro/core"
)

// maxRow bounds one row of the journal in bytes.
const maxRow = 16 << 20

// wallKey opens the last field of every row.
const wallKey = `,"wall_s":`

// Row is one row of the journal as it was read back. Fields hold what JSON has:
// nil, bool, string, []any, map[string]any and numbers as float64, except for
// integers beyond 2^53, which stay exact as int64 or uint64.
type Row struct {
	core.Event
	// Wall is the training time so far in seconds, over all sessions of the run.
	Wall float64
	// Line is the row's line in the file, from 1.
	Line int
}

// Float returns a numeric field; false if it is absent, null or no number.
func (r *Row) Float(key string) (float64, bool) { return number(r.Fields[key]) }

// Text returns a string field, "" if there is none.
func (r *Row) Text(key string) string {
	s, _ := r.Fields[key].(string)
	return s
}

// reserved are the keys of a row that are no fields.
var reserved = map[string]bool{"event": true, "t_env": true, "episode": true, "task": true, "wall_s": true}

// appendRow appends a row without its end: event, t_env, episode, task and the
// fields in ascending order. keys is scratch space.
func appendRow(b []byte, e *core.Event, keys []string) ([]byte, []string, error) {
	b = appendString(append(b, `{"event":`...), e.Kind)
	b = strconv.AppendInt(append(b, `,"t_env":`...), e.TEnv, 10)
	b = strconv.AppendInt(append(b, `,"episode":`...), e.Episode, 10)
	b = appendString(append(b, `,"task":`...), e.Task)
	keys = slices.AppendSeq(keys[:0], maps.Keys(e.Fields))
	slices.Sort(keys)
	var err error
	for _, k := range keys {
		if reserved[k] {
			return b, keys, fmt.Errorf("journal row %q: the field %q has the name of a fixed key", e.Kind, k)
		}
		b = append(appendString(append(b, ','), k), ':')
		if b, err = appendJSON(b, e.Fields[k]); err != nil {
			return b, keys, fmt.Errorf("journal row %q: field %q: %w", e.Kind, k, err)
		}
	}
	if len(b) > maxRow {
		return b, keys, fmt.Errorf("journal row %q has %d bytes, at most %d are allowed", e.Kind, len(b), maxRow)
	}
	return b, keys, nil
}

// appendWall ends a row. The wall clock comes last so that it can be cut off.
func appendWall(b []byte, wall float64) []byte {
	b = strconv.AppendFloat(append(b, wallKey...), wall, 'f', 3, 64)
	return append(b, '}', '\n')
}

// withoutWall returns the part of a line that does not depend on the clock.
func withoutWall(line []byte) []byte {
	if i := bytes.LastIndex(line, []byte(wallKey)); i >= 0 {
		return line[:i]
	}
	return line
}

// parseRow reads one line.
func parseRow(line []byte) (Row, error) {
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		return Row{}, err
	}
	if rest := bytes.TrimSpace(line[d.InputOffset():]); len(rest) > 0 {
		return Row{}, fmt.Errorf("text after the row: %.20q", rest)
	}
	kind, ok := m["event"].(string)
	if !ok {
		return Row{}, fmt.Errorf("no string \"event\"")
	}
	r := Row{Event: core.Event{Kind: kind}}
	r.Task, _ = m["task"].(string)
	for key, dst := range map[string]*int64{"t_env": &r.TEnv, "episode": &r.Episode} {
		n, _ := m[key].(json.Number)
		v, err := n.Int64()
		if err != nil {
			return Row{}, fmt.Errorf("%q is not a whole number", key)
		}
		*dst = v
	}
	r.Wall, _ = number(plain(m["wall_s"]))
	for key := range reserved {
		delete(m, key)
	}
	for k, v := range m {
		m[k] = plain(v)
	}
	r.Fields = m
	return r, nil
}

// plain turns json.Number, at any depth, into float64 or exact integers.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if math.Abs(f) <= 1<<53 || err != nil {
			return f
		}
		if i, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return i
		}
		if u, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return u
		}
		return f
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}

// number returns the finite value of a field, the same for a value before it
// was written and after it was read back.
func number(v any) (float64, bool) {
	var f float64
	switch x := reflect.ValueOf(v); {
	case x.Kind() == reflect.Float32:
		f = shortest(float32(x.Float()))
	case x.CanFloat():
		f = x.Float()
	case x.CanInt():
		f = float64(x.Int())
	case x.CanUint():
		f = float64(x.Uint())
	default:
		return 0, false
	}
	return f, !math.IsNaN(f) && !math.IsInf(f, 0)
}

// shortest is the float64 whose decimal form is that of a float32.
func shortest(v float32) float64 {
	f, err := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	if err != nil {
		return float64(v)
	}
	return f
}
