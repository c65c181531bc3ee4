package config

import (
	"fmt"
	"strings"
	"testing"
)

// An overlay's keys for a method in an environment win over those for the method,
// these over those for the environment, and these over the common ones, in
// whatever order the file has them. Sections of others are left out.
func TestOverlaySections(t *testing.T) {
	const file = `
algs:
  heads, tails:
    envs:
      grid, maze: {a: 4}
      other: {a: 9}
    a: 3
    b: 3
  single: {a: 8, b: 8, c: 8, d: 8}
envs:
  maze, grid: {a: 2, b: 2, c: 2}
  other: {d: 7}
a: 1
b: 1
c: 1
d: 1
`
	for run, want := range map[[2]string]string{
		{"grid", "heads"}: "a 4, b 3, c 2, d 1", {"maze", "tails"}: "a 4, b 3, c 2, d 1",
		{"other", "heads"}: "a 9, b 3, c 1, d 7", {"none", "heads"}: "a 3, b 3, c 1, d 1",
		{"grid", "none"}: "a 2, b 2, c 2, d 1", {"none", "none"}: "a 1, b 1, c 1, d 1",
		{"grid", "single"}: "a 8, b 8, c 8, d 8",
	} {
		var ps problems
		values := map[string]string{}
		for _, r := range overlay([]byte(file), Origin{Source: "x.yaml"}, run[0], run[1], &ps) {
			values[r.key] = r.node.Value // later ones win
		}
		got := fmt.Sprintf("a %s, b %s, c %s, d %s", values["a"], values["b"], values["c"], values["d"])
		if err := ps.err(); err != nil || got != want || len(values) != 4 {
			t.Errorf("%v: %s, want %s (%v)", run, got, want, err)
		}
	}
}

// A key that two sections of one kind set for a run is a problem; so is a section
// in the wrong order.
func TestOverlayConflicts(t *testing.T) {
	for file, want := range map[string]string{
		"envs:\n  grid, maze: {a: 2}\n  grid: {a: 3}":    "a is set twice for env grid, first in line 2",
		"algs:\n  heads: {a: 2}\n  tails, heads: {a: 3}": "a is set twice for env grid, first in line 2",
		"envs:\n  grid: {a: 2}\nalgs:\n  heads: {a: 3}":  "",
	} {
		var ps problems
		overlay([]byte(file), Origin{Source: "x.yaml"}, "grid", "heads", &ps)
		err := ps.err()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", file, err, want)
		}
	}
	if s := SectionOf("envs.pp.algs.macpro.x"); s.Key != "algs.macpro.x" {
		t.Errorf("a method's section in an environment's: %+v", s)
	}
	if s := SectionOf("env_args.sight"); s.Key != "env_args.sight" || s.Envs != nil || s.Algs != nil {
		t.Errorf("%+v", s)
	}
}
