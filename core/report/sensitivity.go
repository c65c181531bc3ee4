package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"macpro/core/record"
)

// sensitivityKeys are the panels of the paper's figure.
var sensitivityKeys = []string{"alpha_reg", "alpha_cont_g", "alpha_cont_l", "probe_nepisode"}

// noEffect are keys that cannot change a result.
var noEffect = []string{"threads", "checkpoint_interval", "checkpoint_keep", "profile", "compat", "ablation"}

// without is the configuration without the seed and one key, in one text.
func (s *Summary) without(key string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(s.Settings)) {
		if k != key && k != "seed" && !slices.Contains(noEffect, k) {
			fmt.Fprintf(&b, "%s=%s\n", k, s.Settings[k])
		}
	}
	return b.String()
}

// varying finds the runs that differ in nothing but key and seed, choosing the
// family with the most values of the key; nil if no key has two values.
func (b *builder) varying(key, env string) (values []string, family []*Summary) {
	byRest := map[string][]*Summary{}
	for _, s := range b.runs {
		if _, ok := s.Settings[key]; ok && s.Env == env && s.Ablation == "" {
			rest := s.without(key)
			byRest[rest] = append(byRest[rest], s)
		}
	}
	for _, rest := range slices.Sorted(maps.Keys(byRest)) {
		seen := map[string]bool{}
		for _, s := range byRest[rest] {
			seen[s.Settings[key]] = true
		}
		if len(seen) > 1 && len(seen) > len(values) {
			values, family = slices.Collect(maps.Keys(seen)), byRest[rest]
		}
	}
	sortValues(values)
	return values, family
}

// sortValues sorts numbers by size and anything else by its letters.
func sortValues(values []string) {
	slices.SortFunc(values, func(a, b string) int {
		x, errA := strconv.ParseFloat(a, 64)
		y, errB := strconv.ParseFloat(b, 64)
		if errA == nil && errB == nil && x != y {
			if x < y {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
}

// sensitivityOf fills a table with a row for every value of a key, trained anew
// or, for keys that only concern tests, evaluated.
func (b *builder) sensitivityOf(t *Table, key, env string) {
	values, family := b.varying(key, env)
	for _, v := range values {
		g := b.group(key+"="+v, func(s *Summary) (string, bool) {
			return s.Own(), slices.Contains(family, s) && s.Settings[key] == v
		})
		t.row(v, g, v).Cells = []Cell{b.cell(g.scores(func(s *Summary, mode string) ([]float64, bool) { return s.FinalRow(mode) }), nil)}
	}
	if len(values) > 0 {
		return
	}
	base := b.base(key, env)
	for _, v := range b.evaluatedValues(key, env) {
		g := b.group(key+"="+v, func(s *Summary) (string, bool) {
			_, ok := s.evaluated(key, v)
			return s.Own(), ok && slices.Contains(base, s)
		})
		t.row(v, g, v).Cells = []Cell{b.cell(g.scores(func(s *Summary, _ string) ([]float64, bool) { return s.evaluated(key, v) }), nil)}
	}
}

// base finds the runs to take evaluations of a key from: of all configurations with
// such evaluations the one that the others are nearest to. In a sweep that varies one
// key at a time it is the one that has its own value of every key.
func (b *builder) base(key, env string) []*Summary {
	byRest := map[string][]*Summary{}
	for _, s := range b.runs {
		if b.comparison(env, b.o.Learner)(s) && slices.ContainsFunc(s.Evaluations, func(e record.Evaluation) bool { return changes(&e, key) }) {
			byRest[s.without("")] = append(byRest[s.without("")], s)
		}
	}
	var best []*Summary
	least := 0
	for _, rest := range slices.Sorted(maps.Keys(byRest)) {
		apart := 0
		for _, other := range byRest {
			apart += differences(byRest[rest][0], other[0])
		}
		if best == nil || apart < least {
			best, least = byRest[rest], apart
		}
	}
	return best
}

// changes tells whether an evaluation was made with another value of a key.
func changes(e *record.Evaluation, key string) bool {
	return slices.ContainsFunc(e.Sets, func(set string) bool { return strings.HasPrefix(set, key+"=") })
}

// differences counts the keys that have other values in two runs.
func differences(a, b *Summary) int {
	n := 0
	for k, v := range a.Settings {
		if k != "seed" && !slices.Contains(noEffect, k) && b.Settings[k] != v {
			n++
		}
	}
	return n
}

// evaluatedValues lists the values of a key in evaluations of finished networks.
func (b *builder) evaluatedValues(key, env string) []string {
	seen := map[string]bool{}
	for _, s := range b.runs {
		for _, e := range s.Evaluations {
			for _, set := range e.Sets {
				if v, ok := strings.CutPrefix(set, key+"="); ok && s.Env == env {
					seen[v] = true
				}
			}
		}
	}
	values := slices.Collect(maps.Keys(seen))
	sortValues(values)
	return values
}

// evaluated is the scores by task of an evaluation with key=v alone.
func (s *Summary) evaluated(key, v string) ([]float64, bool) {
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
			return x, true
		}
	}
	return nil, false
}

func (b *builder) sensitivityTables() error {
	keys := b.o.Keys
	if len(keys) == 0 {
		keys = sensitivityKeys
	}
	for _, env := range envs(b.runs) {
		for _, key := range keys {
			t := b.add("sensitivity", fmt.Sprintf("Sensitivity on %s: %s", EnvLabel(env), key), []string{key}, "average")
			t.Foot = append(t.Foot, finalFormula)
			b.sensitivityOf(t, key, env)
		}
	}
	return nil
}
