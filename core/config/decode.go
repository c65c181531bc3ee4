package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"macpro/core"
)

// Decode fills the tagged fields of the structs that dst points to (see Schema)
// from settings and ignores all other keys. A missing key, a value of another
// type and a value out of range are errors; all of them are reported together. A
// struct with one is left as it was.
func Decode(s core.Settings, dst ...any) error {
	var errs []error
	for _, d := range dst {
		errs = append(errs, decode(s, d))
	}
	return errors.Join(errs...)
}

func decode(s core.Settings, dst any) error {
	p := reflect.ValueOf(dst)
	if p.Kind() != reflect.Pointer || p.IsNil() || p.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("config.Decode: %T is not a pointer to a struct", dst)
	}
	fields := Schema(dst)
	var wrong []string
	for _, f := range fields {
		v, ok := s[f.Key]
		if !ok {
			wrong = append(wrong, fmt.Sprintf("key %q is not set", f.Key))
		} else if err := checkValue(f, v); err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", f.Key, err))
		}
	}
	if wrong != nil {
		return fmt.Errorf("settings of %T: %s", dst, strings.Join(wrong, "; "))
	}
	st := p.Elem()
	for _, f := range tagged(st.Type()) {
		set(st.FieldByIndex(f.Index), s[f.Tag.Get("cfg")])
	}
	return nil
}

func set(dst reflect.Value, v any) {
	src := reflect.ValueOf(v)
	if dst.Kind() != reflect.Slice {
		dst.Set(src.Convert(dst.Type()))
		return
	}
	list := reflect.MakeSlice(dst.Type(), src.Len(), src.Len())
	for i := range src.Len() {
		list.Index(i).Set(src.Index(i).Convert(dst.Type().Elem()))
	}
	dst.Set(list)
}

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
