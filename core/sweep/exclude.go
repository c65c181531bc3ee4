package sweep

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"macpro/core/config"
	"macpro/core/names"
)

// texts lists the values of the keys that cells of the sweep have, as they were
// written. A key with a range has none.
func (s *Spec) texts() map[string][]string {
	out := map[string][]string{}
	for _, kv := range s.Fixed {
		key := keyOf(kv)
		out[key] = append(out[key], kv[len(key)+1:])
	}
	for _, g := range s.Grids {
		for _, a := range g {
			out[a.Key] = append(out[a.Key], a.Values...) // nil is there, too
		}
	}
	return out
}

// Has says whether the experiment sets or varies a key.
func (s *Spec) Has(key string) bool {
	_, ok := s.texts()[key]
	return ok
}

// checkExclude refuses keys that no cell has, with which an entry would exclude
// nothing. A flag may have taken a key out of the experiment, or put one in.
func (s *Spec) checkExclude() error {
	all := s.texts()
	maps.Copy(all, s.written)
	known := slices.Sorted(maps.Keys(all))
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

// exclusion applies Exclude to points.
type exclusion struct {
	entries []map[string]string // values in the form of meaning
	hits    []int               // points that each entry has dropped
	meaning map[string]string   // of the values that were met
}

func (s *Spec) exclusion() *exclusion {
	x := &exclusion{meaning: map[string]string{}, hits: make([]int, len(s.Exclude))}
	for _, e := range s.Exclude {
		entry := map[string]string{}
		for key, v := range e {
			entry[key] = x.mean(v)
		}
		x.entries = append(x.entries, entry)
	}
	return x
}

// drops says whether a point has all values of an entry.
func (x *exclusion) drops(point []string) bool {
	if len(x.entries) == 0 {
		return false
	}
	values := map[string]string{}
	for _, kv := range point {
		key := keyOf(kv)
		values[key] = x.mean(kv[len(key)+1:])
	}
	dropped := false
	for i, entry := range x.entries {
		all := true
		for key, v := range entry {
			has, ok := values[key]
			all = all && ok && has == v
		}
		if all {
			x.hits[i]++
			dropped = true
		}
	}
	return dropped
}

func (x *exclusion) mean(v string) string {
	m, known := x.meaning[v]
	if !known {
		m = meaning(v)
		x.meaning[v] = m
	}
	return m
}

// meaning is equal for values that mean the same: 5 and 5.0, true and True, [a,b]
// and [a, b].
func meaning(v string) string {
	if x, err := config.ParseFloat(strings.TrimSpace(v)); err == nil {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	var u any
	if yaml.Unmarshal([]byte(v), &u) != nil {
		return "text " + v
	}
	b, err := json.Marshal(plain(u))
	if err != nil {
		return "text " + v
	}
	return string(b)
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

// idle names the entries that have dropped nothing, unless flags have taken away
// what they would drop.
func (s *Spec) idle(x *exclusion) (notes []string) {
	var values map[string]map[string]bool
	for i, entry := range x.entries {
		if x.hits[i] > 0 {
			continue
		}
		if values == nil {
			values = s.values(x)
		}
		reason, taken := "no configuration has all of its values", false
		for _, key := range slices.Sorted(maps.Keys(entry)) {
			v := entry[key]
			if values[key][v] {
				continue
			}
			taken = taken || slices.ContainsFunc(s.written[key], func(w string) bool { return x.mean(w) == v })
			reason = fmt.Sprintf("no configuration has %s=%s", key, s.Exclude[i][key])
		}
		if !taken {
			notes = append(notes, fmt.Sprintf("exclude %d leaves nothing out: %s", i+1, reason))
		}
	}
	return notes
}

// values lists the values of all keys by their meaning.
func (s *Spec) values(x *exclusion) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for key, list := range s.texts() {
		out[key] = map[string]bool{}
		for _, v := range list {
			out[key][x.mean(v)] = true
		}
	}
	return out
}
