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
	for _, r := range parseDocument(data, Origin{Layer: LayerDefault, Source: file}, &ps) {
		f, ok := fs.byKey[r.key]
		if !ok {
			continue
		}
		v, err := r.value(f)
		if err != nil {
			ps.add(r.at, "%s: %v", r.key, err)
		}
		s[r.key] = v
	}
	for _, key := range fs.keys() {
		if _, ok := s[key]; !ok {
			ps.add(Origin{Source: file}, "key %q has no value", key)
		}
	}
	if err := ps.err(); err != nil {
		return nil, err
	}
	return s, nil
}
