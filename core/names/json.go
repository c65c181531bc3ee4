package names

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// DecodeJSON reads a JSON document into what v points to. A value of another form
// is an error with its place, in words for those who do not know the type of v.
func DecodeJSON(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s: %s, want %s", place(wrong.Field), formOf(wrong.Value), wanted(wrong.Type.Kind()))
	}
	if broken, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("at byte %d: %w", broken.Offset, err)
	}
	return err
}

// place is the path of encoding/json without the types that are embedded. Those
// begin with a capital, our keys do not.
func place(field string) string {
	keys := slices.DeleteFunc(strings.Split(field, "."), func(key string) bool { return key != "" && unicode.IsUpper(rune(key[0])) })
	return cmp.Or(strings.Join(keys, "."), "the document")
}

// formOf says in words what a JSON value is; form is that of encoding/json.
func formOf(form string) string {
	switch form {
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	}
	return "a " + form // "number", or "number" and the number
}

func wanted(k reflect.Kind) string {
	switch {
	case k == reflect.String:
		return "a text"
	case k == reflect.Bool:
		return "true or false"
	case k == reflect.Slice || k == reflect.Array:
		return "a list"
	case k >= reflect.Int && k <= reflect.Uintptr:
		return "a whole number"
	case k == reflect.Float32 || k == reflect.Float64:
		return "a number"
	}
	return "an object"
}
