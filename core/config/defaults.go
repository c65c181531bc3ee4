package config

import "macpro/core"

// Defaults reads the values of some fields from one YAML file, such as a
// plugin's own: what a run has if nothing else sets them. Other keys of the
// file are left alone; a field without a value is an error.
func Defaults(file string, data []byte, fields []core.Field) (core.Settings, error) {
	var ps problems
	fs := newFieldSet(nil, nil)
	fs.add(file, fields, &ps)
	s := core.Settings{}
	there := map[string]bool{}
	keys := parseDocument(data, Origin{Layer: LayerDefault, Source: file}, &ps)
	for _, r := range keys {
		there[r.key] = true
	}
	fs.given(keys, &ps, func(key string, v any, _ Origin) { s[key] = v })
	for _, key := range fs.keys() {
		if !there[key] {
			ps.add(Origin{Source: file}, "key %q has no value", key)
		}
	}
	if err := ps.err(); err != nil {
		return nil, err
	}
	return s, nil
}
