package sweep

import (
	"fmt"
	"slices"
	"strings"
)

// Choose keeps only the given values of a key where the experiment varies it. A
// key that it does not vary is set, or varied if there are several values. A
// value that the experiment does not have is an error.
func (s *Spec) Choose(key string, values []string) error {
	var have []string
	for _, g := range s.Grids {
		if i := g.axis(key); i >= 0 {
			have = append(have, g[i].Values...)
		}
	}
	if have == nil {
		if len(values) == 1 {
			return s.Override([]string{key + "=" + values[0]})
		}
		return s.Vary(Axis{Key: key, Values: values})
	}
	for _, v := range values {
		if !slices.Contains(have, v) {
			return fmt.Errorf("the experiment has no %s %q, only %s", key, v, strings.Join(distinct(have), ", "))
		}
	}
	var grids []Grid
	for _, g := range s.Grids {
		if i := g.axis(key); i >= 0 {
			g = slices.Clone(g)
			g[i].Values = slices.DeleteFunc(slices.Clone(g[i].Values), func(v string) bool { return !slices.Contains(values, v) })
			if len(g[i].Values) == 0 {
				continue
			}
		}
		grids = append(grids, g)
	}
	s.Grids = grids
	return nil
}

// Vary adds an axis to all grids. A key that is varied already is an error. The
// values of seed become the seeds of the sweep.
func (s *Spec) Vary(a Axis) (err error) {
	if len(s.Grids) == 0 {
		s.Grids = []Grid{nil}
	}
	for _, g := range s.Grids {
		if g.axis(a.Key) >= 0 {
			return fmt.Errorf("the key %s is varied twice", a.Key)
		}
	}
	if a.Key == seedKey {
		s.Seeds, err = a.seeds()
		return err
	}
	for i, g := range s.Grids {
		s.Grids[i] = append(slices.Clone(g), a)
	}
	return nil
}

// Override sets keys in all cells. A key that the grid varies is an error.
func (s *Spec) Override(sets []string) error {
	for _, kv := range sets {
		key, _, ok := strings.Cut(kv, "=")
		if !ok || strings.TrimSpace(key) == "" {
			return fmt.Errorf("--set %s: want key=value, such as lr=0.0005", kv)
		}
		if strings.TrimSpace(key) == seedKey {
			return fmt.Errorf("--set %s: a sweep lists its seeds with --seeds, such as --seeds 1..5, or with seeds: in its file", kv)
		}
		if slices.ContainsFunc(s.Grids, func(g Grid) bool { return g.axis(key) >= 0 }) {
			return fmt.Errorf("--set %s: the experiment varies %s", kv, key)
		}
		s.Fixed = override(s.Fixed, []string{kv})
	}
	return nil
}

// axis is the index of a key, -1 if the grid does not vary it.
func (g Grid) axis(key string) int {
	return slices.IndexFunc(g, func(a Axis) bool { return a.Key == key })
}

func distinct(values []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// every is the value of an axis that stands for all plugins of its kind.
const every = "every"

// Every replaces the value "every" of the axes of a key by the names of all plugins.
func (s *Spec) Every(key string, all []string) {
	for _, g := range s.Grids {
		if i := g.axis(key); i >= 0 && slices.Equal(g[i].Values, []string{every}) {
			g[i].Values = slices.Clone(all)
		}
	}
	s.written = s.texts()
}
