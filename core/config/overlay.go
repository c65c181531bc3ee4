package config

import (
	"cmp"
	"slices"
	"strings"
)

// A built-in overlay has keys for all runs and sections for some of them. Later
// lines of this list win:
//
//	key: value                         every run
//	envs: {pp: {key: value}}           an environment
//	algs: {macpro: {key: value}}       a method
//	algs: {macpro: {envs: {pp: ...}}}  a method in an environment
//
// The name of a section may be a list, as in "marines, sz".
const (
	sectionEnvs = "envs"
	sectionAlgs = "algs"
)

// overlay reads an overlay: the keys of the sections that concern a run, the
// weakest first. A key that two sections of one kind set is a problem.
func overlay(data []byte, at Origin, env, alg string, ps *problems) []raw {
	type ranked struct {
		raw
		rank int
	}
	var all []ranked
	for _, r := range parseDocument(data, at, ps) {
		s := SectionOf(r.key)
		if s.Algs != nil && !slices.Contains(s.Algs, alg) || s.Envs != nil && !slices.Contains(s.Envs, env) {
			continue
		}
		k := ranked{r, 0}
		k.key = s.Key
		if s.Envs != nil {
			k.rank = 1
		}
		if s.Algs != nil {
			k.rank += 2
		}
		for _, o := range all {
			if o.key == k.key && o.rank == k.rank {
				ps.add(r.at, "%s is set twice for env %s, first in line %d", r.key, env, o.at.Line)
			}
		}
		all = append(all, k)
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	out := make([]raw, len(all))
	for i, k := range all {
		out[i] = k.raw
	}
	return out
}

// Section says for which runs a key of an overlay is set.
type Section struct {
	Key        string
	Envs, Algs []string // nil: all
}

// SectionOf cuts the dotted path of a key in an overlay.
func SectionOf(path string) Section {
	s := Section{Key: path}
	cut := func(word string, into *[]string) {
		rest, ok := strings.CutPrefix(s.Key, word+".")
		names, key, below := strings.Cut(rest, ".")
		if !ok || !below {
			return
		}
		for _, n := range strings.Split(names, ",") {
			*into = append(*into, strings.TrimSpace(n))
		}
		s.Key = key
	}
	cut(sectionAlgs, &s.Algs)
	cut(sectionEnvs, &s.Envs)
	return s
}
