package record

import (
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
)

// counters are numbers in rows that make no curve.
var counters = map[string]bool{"index": true, "after": true, "episodes": true}

// Numbers yields the finite numbers of a row by ascending name, without those that
// only count or point.
func Numbers(fields map[string]any) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if x, ok := Float(fields[name]); ok && !counters[name] && !yield(name, x) {
				return
			}
		}
	}
}

// Float returns the finite value of a field, the same for a value before it was
// written and after it was read back; false for anything else.
func Float(v any) (float64, bool) {
	var f float64
	switch x := reflect.ValueOf(v); {
	case x.Kind() == reflect.Float32:
		f = shortest(float32(x.Float()))
	case x.CanFloat():
		f = x.Float()
	case x.CanInt():
		f = float64(x.Int())
	case x.CanUint():
		f = float64(x.Uint())
	default:
		return 0, false
	}
	return f, !math.IsNaN(f) && !math.IsInf(f, 0)
}

// shortest is the float64 whose decimal form is that of a float32.
func shortest(v float32) float64 {
	f, err := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	if err != nil {
		return float64(v)
	}
	return f
}
