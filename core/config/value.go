package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"macpro/core"
	"macpro/core/names"
)

// checkValue says what is wrong with a typed value of a field, if anything:
// its Go type, its bounds, or a string that is not among the allowed ones.
func checkValue(f core.Field, v any) error {
	r := reflect.ValueOf(v)
	kind, ok := core.Kind(""), false
	if r.IsValid() {
		kind, ok = kindOf(r.Type())
	}
	if !ok || kind != f.Kind {
		return fmt.Errorf("%v is not %s, such as %s", v, kindName(f.Kind), example(f.Kind))
	}
	if r.Kind() != reflect.Slice {
		return checkScalar(f, r)
	}
	for i := range r.Len() {
		if err := checkScalar(f, r.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func checkScalar(f core.Field, r reflect.Value) error {
	switch r.Kind() {
	case reflect.Int, reflect.Int64:
		return checkBounds(f, float64(r.Int()))
	case reflect.Float64:
		return checkBounds(f, r.Float())
	case reflect.String:
		if f.Enum != nil && !slices.Contains(f.Enum, r.String()) {
			return names.Unknown("value", r.String(), f.Enum)
		}
	}
	return nil
}

func checkBounds(f core.Field, x float64) error {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return fmt.Errorf("%v is not a finite number", x)
	case f.Min != nil && x < *f.Min, f.Max != nil && x > *f.Max:
		return fmt.Errorf("%s is out of range, want %s", plain(x), rangeText(f))
	}
	return nil
}

// number prints a float in its shortest exact form.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// plain prints a number as it was most likely written: whole ones without an exponent.
func plain(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return number(x)
}

func rangeText(f core.Field) string {
	switch {
	case f.Min != nil && f.Max != nil:
		return number(*f.Min) + " to " + number(*f.Max)
	case f.Min != nil:
		return "at least " + number(*f.Min)
	}
	return "at most " + number(*f.Max)
}
