package config

import (
	"errors"
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

// ReadRecorded reads the file.
func ReadRecorded(data []byte) (*Recorded, error) {
	if len(data) > maxDocument {
		return nil, errors.New("it is longer than any configuration")
	}
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return nil, err
	}
	r := &Recorded{map[string]string{}, map[string]string{}}
	if len(root.Content) == 0 {
		return nil, errors.New("it is empty")
	}
	if root.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("it does not consist of keys")
	}
	return r, r.section("", root.Content[0])
}

func (r *Recorded) section(prefix string, n *yaml.Node) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := prefix+n.Content[i].Value, n.Content[i+1]
		if v.Kind == yaml.MappingNode && len(v.Content) > 0 {
			if err := r.section(key+".", v); err != nil {
				return err
			}
			continue
		}
		r.Values[key], r.lines[key] = v.Value, v.Value
		if v.Kind == yaml.ScalarNode && v.Style == 0 {
			continue // written as it is
		}
		b, err := yaml.Marshal(v)
		if err != nil {
			return err
		}
		r.lines[key] = strings.TrimSpace(string(b))
		if v.Kind != yaml.ScalarNode {
			r.Values[key] = r.lines[key]
		}
	}
	return nil
}

// Hash is Config.Hash without the keys that it left out.
func (r *Recorded) Hash(unhashed []string) string {
	return hash(r.lines, slices.Concat(noEffect, unhashed))
}
