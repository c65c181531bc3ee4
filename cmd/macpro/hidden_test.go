package main

import (
	"os"
	"regexp"
	"testing"

	"macpro/cmd/macpro/tests/program"
	"macpro/core"
	"macpro/registry"
)

// The page on sequences says of every method whether it runs with hidden boundaries.
func TestPageNamesTaskFreeMethods(t *testing.T) {
	page := program.Section(t, "docs/sequences.md", "## Hidden boundaries", "## Plasticity")
	said := map[string]bool{}
	names := regexp.MustCompile("`([a-z0-9_]+)`")
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*) \\| (runs|refused): .*\\|$").FindAllStringSubmatch(page, -1) {
		for _, name := range names.FindAllStringSubmatch(row[1], -1) {
			said[name[1]] = row[2] == "runs"
		}
	}
	for _, name := range registry.Methods.Names() {
		if _, err := os.Stat("../../configs/algs/" + name + ".yaml"); err != nil {
			continue // of a test
		}
		p, err := registry.Methods.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		runs, ok := said[name]
		if free := core.RunsTaskFree(p); !ok || runs != free {
			t.Errorf("method %s runs with hidden boundaries: %v, the page says %v (named: %v)", name, free, runs, ok)
		}
	}
	for name := range said {
		if _, err := registry.Methods.Get(name); err != nil {
			t.Error(err)
		}
	}
}
