package wire

import (
	"encoding/json"
	"fmt"
	"reflect"

	"macpro/core"
)

// The kinds of lists that settings hold.
const (
	ofStrings = "strings"
	ofInts    = "ints"
)

// FromSettings encodes settings. A value of a type that settings do not have is
// an error that names its key.
func FromSettings(s core.Settings) (*Settings, error) {
	out := &Settings{Values: make(map[string]*Value, len(s))}
	for key, v := range s {
		var err error
		switch x := v.(type) {
		case bool, int, float64, string:
			out.Values[key], err = FromAny(v)
		case []string:
			out.Values[key], err = list(x, ofStrings)
		case []int:
			out.Values[key], err = list(x, ofInts)
		default:
			err = fmt.Errorf("a %T is not one of bool, int, float64, string, []string, []int", v)
		}
		if err != nil {
			return nil, fmt.Errorf("setting %q: %w", key, err)
		}
	}
	return out, nil
}

func list[T any](x []T, of string) (*Value, error) {
	v, err := FromAny(append([]T{}, x...))
	if err == nil {
		v.GetList().Of = of
	}
	return v, err
}

// ToSettings decodes settings; values have the Go types of their kinds.
func ToSettings(s *Settings) (core.Settings, error) {
	out := make(core.Settings, len(s.GetValues()))
	for key, v := range s.GetValues() {
		x, err := setting(v)
		if err != nil {
			return nil, fmt.Errorf("setting %q: %w", key, err)
		}
		out[key] = x
	}
	return out, nil
}

func setting(v *Value) (any, error) {
	switch k := v.GetKind().(type) {
	case *Value_Truth:
		return k.Truth, nil
	case *Value_Integer:
		return int(k.Integer), nil
	case *Value_Number:
		return k.Number, nil
	case *Value_Text:
		return k.Text, nil
	case *Value_List:
		switch k.List.Of {
		case ofStrings:
			out := []string{}
			for _, i := range k.List.Items {
				out = append(out, i.GetText())
			}
			return out, nil
		case ofInts:
			out := []int{}
			for _, i := range k.List.Items {
				out = append(out, int(i.GetInteger()))
			}
			return out, nil
		}
		return nil, fmt.Errorf("a list of %q, want %s or %s", k.List.Of, ofStrings, ofInts)
	}
	return nil, fmt.Errorf("a value of type %T", v.GetKind())
}

// FromAny encodes a value of a journal row: anything that JSON can hold. A
// float keeps its width, so that it prints the same on the other side.
func FromAny(v any) (*Value, error) {
	x := reflect.ValueOf(v)
	switch x.Kind() {
	case reflect.Invalid:
		return &Value{}, nil
	case reflect.Bool:
		return &Value{Kind: &Value_Truth{x.Bool()}}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &Value{Kind: &Value_Integer{x.Int()}}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &Value{Kind: &Value_Natural{x.Uint()}}, nil
	case reflect.Float64:
		return &Value{Kind: &Value_Number{x.Float()}}, nil
	case reflect.Float32:
		return &Value{Kind: &Value_Single{float32(x.Float())}}, nil
	case reflect.String:
		return &Value{Kind: &Value_Text{x.String()}}, nil
	case reflect.Slice, reflect.Array:
		return fromList(x)
	case reflect.Map:
		return fromMap(x)
	case reflect.Pointer, reflect.Interface:
		if x.IsNil() {
			return &Value{}, nil
		}
		return FromAny(x.Elem().Interface())
	case reflect.Struct:
		return fromStruct(v)
	}
	return nil, fmt.Errorf("a %T has no form outside of its process", v)
}

func fromList(x reflect.Value) (*Value, error) {
	if x.Kind() == reflect.Slice && x.IsNil() {
		return &Value{}, nil
	}
	out := &List{}
	for i := range x.Len() {
		v, err := FromAny(x.Index(i).Interface())
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		out.Items = append(out.Items, v)
	}
	return &Value{Kind: &Value_List{out}}, nil
}

func fromMap(x reflect.Value) (*Value, error) {
	if x.Type().Key().Kind() != reflect.String {
		return nil, fmt.Errorf("a %s: keys must be strings", x.Type())
	}
	out := &Table{Fields: map[string]*Value{}}
	for it := x.MapRange(); it.Next(); {
		v, err := FromAny(it.Value().Interface())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", it.Key(), err)
		}
		out.Fields[it.Key().String()] = v
	}
	return &Value{Kind: &Value_Table{out}}, nil
}

// fromStruct encodes a structure as the text that the journal would hold.
func fromStruct(v any) (*Value, error) {
	b, err := json.Marshal(v)
	return &Value{Kind: &Value_Json{b}}, err
}

// ToAny decodes a value of a journal row.
func ToAny(v *Value) any {
	switch k := v.GetKind().(type) {
	case *Value_Truth:
		return k.Truth
	case *Value_Integer:
		return k.Integer
	case *Value_Natural:
		return k.Natural
	case *Value_Number:
		return k.Number
	case *Value_Single:
		return k.Single
	case *Value_Text:
		return k.Text
	case *Value_List:
		out := make([]any, len(k.List.GetItems()))
		for i, x := range k.List.GetItems() {
			out[i] = ToAny(x)
		}
		return out
	case *Value_Table:
		return ToMap(k.Table)
	case *Value_Json:
		return json.RawMessage(k.Json)
	}
	return nil
}

// ToMap decodes a table.
func ToMap(t *Table) map[string]any {
	out := make(map[string]any, len(t.GetFields()))
	for key, v := range t.GetFields() {
		out[key] = ToAny(v)
	}
	return out
}
