package sweep

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"macpro/core/names"
)

// keys lists the keys that cells of the sweep have, each once.
func (s *Spec) keys() []string {
	have := map[string]bool{}
	for _, kv := range s.Fixed {
		have[keyOf(kv)] = true
	}
	for _, g := range s.Grids {
		for _, a := range g {
			have[a.Key] = true
		}
	}
	return slices.Sorted(maps.Keys(have))
}

// checkExclude refuses keys that no cell has, with which an entry would exclude
// nothing. A flag may have taken a key out of the experiment, or put one in.
func (s *Spec) checkExclude() error {
	known := slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.keys(), s.written))))
	for i, e := range s.Exclude {
		for _, key := range slices.Sorted(maps.Keys(e)) {
			switch {
			case slices.Contains(known, key):
			case key == seedKey:
				return fmt.Errorf("exclude %d: seeds are left out by a grid with an axis seed, or with --seeds", i+1)
			default:
				return fmt.Errorf("exclude %d: %w", i+1, names.Unknown("key of the sweep", key, known))
			}
		}
	}
	return nil
}

// excluded says whether a point has all values of an entry of Exclude.
func (s *Spec) excluded(point []string) bool {
	values := map[string]string{}
	for _, kv := range point {
		key := keyOf(kv)
		values[key] = kv[len(key)+1:]
	}
	return slices.ContainsFunc(s.Exclude, func(entry map[string]string) bool {
		for k, v := range entry {
			if has, ok := values[k]; !ok || !sameValue(has, v) {
				return false
			}
		}
		return true
	})
}

// sameValue compares values by what they mean: 5 is 5.0, and [a,b] is [a, b].
func sameValue(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	if err1 == nil && err2 == nil {
		return x == y
	}
	var u, v any
	return yaml.Unmarshal([]byte(a), &u) == nil && yaml.Unmarshal([]byte(b), &v) == nil && reflect.DeepEqual(plain(u), plain(v))
}

// plain turns all numbers of a YAML value into floats.
func plain(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}
