package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Recorded is the configuration in the config.yaml of a run, read without the
// schemas of its plugins.
type Recorded struct {
	// Values holds every value by dotted key in one line, strings without quotes.
	Values map[string]string
	lines  map[string]string // the same as the file has it
}

// ReadRecorded reads the file, whose name is for errors.
func ReadRecorded(name string, data []byte) (*Recorded, error) {
	r, at := &Recorded{map[string]string{}, map[string]string{}}, Origin{Source: name}
	var ps problems
	for _, k := range parseDocument(data, at, &ps) {
		v := k.node
		r.Values[k.key], r.lines[k.key] = v.Value, v.Value
		if v.Kind == yaml.ScalarNode && v.Style == 0 {
			continue // written as it is
		}
		b, err := yaml.Marshal(v)
		if err != nil {
			ps.add(k.at, "%v", err)
			continue
		}
		r.lines[k.key] = strings.TrimSpace(string(b))
		if v.Kind != yaml.ScalarNode {
			r.Values[k.key] = r.lines[k.key]
		}
	}
	if len(r.Values) == 0 && ps.none() {
		ps.add(at, "it is empty")
	}
	return r, ps.err()
}

// Hash is Config.Hash without the keys that it left out.
func (r *Recorded) Hash(unhashed []string) string {
	return hash(r.lines, slices.Concat(noEffect, unhashed))
}
