package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// field is one field of a type of rows.
type field struct {
	name                string
	path                []int
	omitempty, required bool
}

// fields lists the fields of a type with the tag row, also those of embedded
// structs.
func fields(t reflect.Type) []field {
	var out []field
	for _, f := range reflect.VisibleFields(t) {
		tag, ok := f.Tag.Lookup("row")
		if !ok {
			continue
		}
		parts := strings.Split(tag, ",")
		out = append(out, field{parts[0], f.Index, slices.Contains(parts, "omitempty"), slices.Contains(parts, "required")})
	}
	return out
}

// encode lists the fields of a row by name.
func encode(v reflect.Value) map[string]any {
	out := map[string]any{}
	for _, f := range forms[v.Type()].fields {
		x, err := v.FieldByIndexErr(f.path)
		if err != nil || f.omitempty && x.IsZero() {
			continue // part of an embedded struct that is not there, or empty
		}
		if f.name == "*" {
			maps.Copy(out, x.Interface().(map[string]any))
			continue
		}
		if x.Kind() == reflect.Pointer {
			x = x.Elem()
		}
		if out[f.name] = x.Interface(); x.Kind() == reflect.Float64 {
			out[f.name] = x.Float() // whatever JSON its type would have
		}
	}
	return out
}

// decode fills a row from its fields.
func decode(v reflect.Value, from map[string]any) error {
	named := 0
	var rest reflect.Value
	for _, f := range forms[v.Type()].fields {
		if f.name == "*" {
			rest = v.FieldByIndex(f.path)
			continue
		}
		x, ok := from[f.name]
		if !ok {
			if f.required {
				return fmt.Errorf("the field %q is missing", f.name)
			}
			continue
		}
		named++
		if err := set(reach(v, f.path), x); err != nil {
			return fmt.Errorf("field %q: %w", f.name, err)
		}
	}
	if rest.IsValid() && named < len(from) {
		extra := maps.Clone(from)
		for _, f := range forms[v.Type()].fields {
			delete(extra, f.name)
		}
		rest.Set(reflect.ValueOf(extra))
	}
	return nil
}

// reach returns the field at path and makes the embedded structs on the way.
func reach(v reflect.Value, path []int) reflect.Value {
	for _, i := range path {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// set gives a field a value of JSON, or the value that was to be written.
func set(dst reflect.Value, x any) error {
	switch dst.Kind() {
	case reflect.Pointer:
		if x == nil {
			return nil
		}
		dst.Set(reflect.New(dst.Type().Elem()))
		return set(dst.Elem(), x)
	case reflect.Float64, reflect.Float32:
		f, ok := Float(x)
		if x == nil || !ok && reflect.ValueOf(x).CanFloat() {
			f, ok = math.NaN(), true // what is not finite is written as null
		}
		dst.SetFloat(f)
		return want(ok, "a number", x)
	case reflect.Int, reflect.Int32, reflect.Int64:
		f, ok := Float(x)
		dst.SetInt(int64(f))
		return want(ok && f == math.Trunc(f) && math.Abs(f) <= 1<<53 && !dst.OverflowInt(int64(f)), "a whole number", x)
	case reflect.String:
		s, ok := x.(string)
		dst.SetString(s)
		return want(ok, "a text", x)
	case reflect.Bool:
		b, ok := x.(bool)
		dst.SetBool(b)
		return want(ok, "true or false", x)
	case reflect.Slice:
		return setList(dst, x)
	case reflect.Map:
		return setMap(dst, x)
	}
	data, err := json.Marshal(x)
	return errors.Join(err, json.Unmarshal(data, dst.Addr().Interface()))
}

func setList(dst reflect.Value, x any) error {
	src := reflect.ValueOf(x)
	if x == nil {
		return nil
	}
	if src.Kind() != reflect.Slice {
		return want(false, "a list", x)
	}
	list := reflect.MakeSlice(dst.Type(), src.Len(), src.Len())
	for i := range src.Len() {
		if err := set(list.Index(i), src.Index(i).Interface()); err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
	}
	dst.Set(list)
	return nil
}

func setMap(dst reflect.Value, x any) error {
	src := reflect.ValueOf(x)
	if x == nil {
		return nil
	}
	if src.Kind() != reflect.Map || src.Type().Key().Kind() != reflect.String {
		return want(false, "a table", x)
	}
	m := reflect.MakeMap(dst.Type())
	for _, k := range src.MapKeys() {
		e := reflect.New(dst.Type().Elem()).Elem()
		if err := set(e, src.MapIndex(k).Interface()); err != nil {
			return fmt.Errorf("key %q: %w", k.String(), err)
		}
		m.SetMapIndex(k, e)
	}
	dst.Set(m)
	return nil
}

func want(ok bool, what string, x any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%.40q is not %s", fmt.Sprint(x), what)
}
