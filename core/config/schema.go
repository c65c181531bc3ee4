package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"macpro/core"
)

// Schema describes the tagged fields of a struct (or a pointer to one) as
// configuration keys, in the order of the struct:
//
//	type Config struct {
//		Gamma  float64 `cfg:"gamma" min:"0" max:"1" help:"discount factor"`
//		Target string  `cfg:"target" enum:"delta,next" help:"what the model predicts"`
//	}
//
// A field may be a bool, int, int64, float64, string, []string or []int, or a
// type of that kind. min, max and enum hold for every element of a list; neutral is
// core.Field.Neutral, below is core.Field.Below, only is core.Field.Only. Fields of
// embedded structs count as fields of the struct; fields without a cfg tag are left alone. A struct that breaks these rules is a slip of its author, so
// Schema panics.
func Schema(v any) []core.Field {
	t := reflect.TypeOf(v)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("config.Schema: %T is not a struct", v))
	}
	if known, ok := schemas.Load(t); ok {
		return slices.Clone(known.([]core.Field))
	}
	var fields []core.Field
	seen := map[string]bool{}
	for _, f := range tagged(t) {
		d, err := describe(f)
		if err == nil && seen[d.Key] {
			err = fmt.Errorf("key %q is declared twice", d.Key)
		}
		if err != nil {
			panic(fmt.Sprintf("config.Schema: %s.%s: %v", t, f.Name, err))
		}
		seen[d.Key] = true
		fields = append(fields, d)
	}
	schemas.Store(t, fields)
	return slices.Clone(fields)
}

// schemas holds what Schema found out, by type.
var schemas sync.Map

// tagged lists the fields of t that carry a cfg tag; their Index leads from t.
func tagged(t reflect.Type) []reflect.StructField {
	var fields []reflect.StructField
	for _, f := range reflect.VisibleFields(t) {
		if _, ok := f.Tag.Lookup("cfg"); ok {
			fields = append(fields, f)
		}
	}
	return fields
}

func describe(f reflect.StructField) (core.Field, error) {
	d := core.Field{Key: f.Tag.Get("cfg"), Help: f.Tag.Get("help")}
	kind, ok := kindOf(f.Type)
	switch {
	case !ok:
		return d, fmt.Errorf("type %s is not one of bool, int, int64, float64, string, []string, []int", f.Type)
	case !f.IsExported():
		return d, fmt.Errorf("the field must be exported")
	case !validKey(d.Key):
		return d, fmt.Errorf("cfg %q is not a key of lower-case words joined by dots", d.Key)
	case d.Help == "":
		return d, fmt.Errorf("help is missing")
	}
	d.Kind = kind
	if e := f.Tag.Get("enum"); e != "" {
		d.Enum = strings.Split(e, ",")
	}
	if d.Enum != nil && kind != core.String && kind != core.Strings {
		return d, fmt.Errorf("enum needs a string")
	}
	var err error
	if d.Min, err = bound(f.Tag, "min", kind); err != nil {
		return d, err
	}
	if d.Max, err = bound(f.Tag, "max", kind); err != nil {
		return d, err
	}
	d.Neutral, d.Below = f.Tag.Get("neutral"), f.Tag.Get("below")
	d.Only = f.Tag.Get("only")
	if err := checkOnly(d.Only); err != nil {
		return d, err
	}
	d.Neutral, err = neutral(d)
	return d, err
}

func kindOf(t reflect.Type) (core.Kind, bool) {
	switch t.Kind() {
	case reflect.Bool:
		return core.Bool, true
	case reflect.Int, reflect.Int64:
		return core.Int, true
	case reflect.Float64:
		return core.Float, true
	case reflect.String:
		return core.String, true
	case reflect.Slice:
		switch t.Elem().Kind() {
		case reflect.String:
			return core.Strings, true
		case reflect.Int:
			return core.Ints, true
		}
	}
	return "", false
}

// neutral is a field's neutral value in the form that is hashed, "" for none.
func neutral(f core.Field) (string, error) {
	if f.Neutral == "" {
		return "", nil
	}
	v, err := raw{text: f.Neutral}.value(f)
	if err != nil {
		return "", fmt.Errorf("neutral: %w", err)
	}
	return flow(v), nil
}

func bound(tag reflect.StructTag, name string, kind core.Kind) (*float64, error) {
	s, ok := tag.Lookup(name)
	if !ok {
		return nil, nil
	}
	if kind != core.Int && kind != core.Float && kind != core.Ints {
		return nil, fmt.Errorf("%s needs a number", name)
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, fmt.Errorf("%s %q is not a number", name, s)
	}
	return &x, nil
}

// validKey says whether a key is made of lower-case words joined by dots.
func validKey(key string) bool {
	for word := range strings.SplitSeq(key, ".") {
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			return false
		}
	}
	return true
}
