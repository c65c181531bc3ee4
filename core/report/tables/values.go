package tables

import (
	"maps"
	"slices"
	"strings"

	"macpro/core/names"
	"macpro/core/record"
	"macpro/core/report/alike"
	"macpro/core/report/read"
	"macpro/core/report/spec"
)

// values makes a row for every value of a key: of runs that were trained with
// another value each, or else of one configuration that was tested with others.
// lost are runs that have diverged.
func (b *builder) values(runs, lost []*read.Summary, key string) []entry {
	var out []entry
	values, family := varying(slices.Concat(runs, lost), key)
	for _, v := range values {
		e := b.valueEntry(key, v)
		of := e.match
		e.match = func(s *read.Summary) (string, bool) {
			mode, ok := of(s)
			return mode, ok && slices.Contains(family, s)
		}
		out = append(out, e)
	}
	if len(values) > 0 {
		return out
	}
	base := baseOf(runs, key)
	for _, v := range evaluatedValues(runs, key) {
		e := newEntry(spec.Item{Key: v})
		e.score = func(s *read.Summary) []float64 { return evaluated(s, key, v) }
		e.match = func(s *read.Summary) (string, bool) { return "", slices.Contains(base, s) && e.score(s) != nil }
		out = append(out, e)
	}
	return out
}

// varying finds the runs that differ in nothing but key and seed, choosing the
// family with the most values of the key, and among those the one with the fewest
// keys that were set; nil if no key has two values. Only families with a finished
// run count.
func varying(runs []*read.Summary, key string) (values []string, family []*read.Summary) {
	byRest := map[string][]*read.Summary{}
	for _, s := range runs {
		if _, ok := s.Value(key); ok {
			rest := s.Without(key)
			byRest[rest] = append(byRest[rest], s)
		}
	}
	var best [2]int
	for _, rest := range slices.Sorted(maps.Keys(byRest)) {
		of := byRest[rest]
		if !slices.ContainsFunc(of, func(s *read.Summary) bool { return s.Status == record.Done }) {
			continue
		}
		seen := read.Values(of, key)
		rank := [2]int{len(seen), -leastSet(of)}
		if len(seen) > 1 && (family == nil || slices.Compare(rank[:], best[:]) > 0) {
			values, family, best = seen, of, rank
		}
	}
	return values, family
}

// leastSet is the smallest number of keys that were set for a run.
func leastSet(runs []*read.Summary) int {
	least := len(runs[0].Overridden)
	for _, s := range runs[1:] {
		least = min(least, len(s.Overridden))
	}
	return least
}

// baseOf finds the runs to take evaluations of a key from. Of several
// configurations with such evaluations it takes the one nearest to the others, and
// among those the one with the fewest keys that were set. In a sweep that varies one
// key at a time this is the sweep's starting point.
func baseOf(runs []*read.Summary, key string) []*read.Summary {
	byRest := map[string][]*read.Summary{}
	for _, s := range runs {
		changed := func(e record.Evaluation) bool {
			return slices.ContainsFunc(e.Sets, func(set string) bool { return strings.HasPrefix(set, key+"=") })
		}
		if slices.ContainsFunc(s.Evaluations, changed) {
			byRest[s.Without("")] = append(byRest[s.Without("")], s)
		}
	}
	var best []*read.Summary
	var least [2]int
	for _, rest := range slices.Sorted(maps.Keys(byRest)) {
		first := byRest[rest][0]
		far := [2]int{0, len(first.Overridden)}
		for _, other := range byRest {
			far[0] += len(first.Apart(other[0]))
		}
		if best == nil || slices.Compare(far[:], least[:]) < 0 {
			best, least = byRest[rest], far
		}
	}
	return best
}

// evaluatedValues lists the values of a key in evaluations of finished networks.
func evaluatedValues(runs []*read.Summary, key string) []string {
	var values []string
	for _, s := range runs {
		for _, e := range s.Evaluations {
			for _, set := range e.Sets {
				if v, ok := strings.CutPrefix(set, key+"="); ok {
					values = append(values, v)
				}
			}
		}
	}
	read.SortValues(values)
	return slices.Compact(values)
}

// evaluated is the scores by task of an evaluation with key=v alone; nil if there
// is none.
func evaluated(s *read.Summary, key, v string) []float64 {
	for _, e := range s.Evaluations {
		if !slices.Equal(e.Sets, []string{key + "=" + v}) {
			continue
		}
		var x []float64
		for _, t := range e.Tests {
			if t.Mode == s.Own() && slices.Contains(s.Tasks, t.Task) {
				x = append(x, float64(t.Score))
			}
		}
		if len(x) > 0 {
			return x
		}
	}
	return nil
}

func (b *builder) families() []scope {
	groups := map[string][]*read.Summary{}
	for _, s := range b.runs {
		groups[alike.Family(s)] = append(groups[alike.Family(s)], s)
	}
	var out []scope
	sp := &spec.Spec{Rows: spec.Axis{Of: "configurations"}}
	for _, f := range slices.Sorted(maps.Keys(groups)) {
		sc := scope{Vars: b.vars(""), family: f}
		if len(alike.Varied(slices.Concat(groups[f], b.lostOf(sp, sc, groups[f])))) > 0 {
			out = append(out, sc)
		}
	}
	return out
}

// configurations makes a row for every configuration of a family, in the order of
// the values of the keys that were varied.
func configurations(runs []*read.Summary) []entry {
	keys := alike.Varied(runs)
	of := map[string][]string{} // values by configuration
	for _, s := range runs {
		var values []string
		for _, k := range keys {
			v, ok := s.Value(k)
			if !ok {
				v = "absent" // an older run
			}
			values = append(values, names.Brief(v))
		}
		of[s.GroupHash] = values
	}
	hashes := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return slices.CompareFunc(of[a], of[b], read.CompareValues)
	})
	var out []entry
	for _, h := range hashes {
		e := newEntry(spec.Item{Key: h, Label: strings.Join(of[h], " ")})
		e.labels = of[h]
		e.match = func(s *read.Summary) (string, bool) { return "", s.GroupHash == h }
		out = append(out, e)
	}
	return out
}
