package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"macpro/core"
	"macpro/core/record"
)

// maxRow bounds one row of the journal in bytes.
const maxRow = 16 << 20

// wallKey opens the last field of every row.
const wallKey = `,"wall_s":`

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
		if b, err = AppendJSON(b, e.Fields[k]); err != nil {
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

func parseRow(line []byte) (record.Row, error) {
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		return record.Row{}, err
	}
	if rest := bytes.TrimSpace(line[d.InputOffset():]); len(rest) > 0 {
		return record.Row{}, fmt.Errorf("text after the row: %.20q", rest)
	}
	kind, ok := m["event"].(string)
	if !ok {
		return record.Row{}, fmt.Errorf("no string \"event\"")
	}
	r := record.Row{Event: core.Event{Kind: kind}}
	r.Task, _ = m["task"].(string)
	for key, dst := range map[string]*int64{"t_env": &r.TEnv, "episode": &r.Episode} {
		n, _ := m[key].(json.Number)
		v, err := n.Int64()
		if err != nil {
			return record.Row{}, fmt.Errorf("%q is not a whole number", key)
		}
		*dst = v
	}
	r.Wall, _ = record.Float(plain(m["wall_s"]))
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
