package bits_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/store"
)

// A run that is extended ends with the bits of a run that had all tasks, whatever the
// method. The tag slow tries all methods.
func TestExtendedIsWhole(t *testing.T) {
	t.Parallel()
	program.UsesSources(t)
	runs := digestRuns()
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		_, env, _ := strings.Cut(name, " ")
		two := map[string][2]string{"lbf": {"right", "bottom"}, "marines": {"5m_vs_6m", "13m"}}[env]
		if two[0] == "" || !everyRun && name != "macpro lbf" && name != "coreset lbf" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			play := func(line string) {
				t.Helper()
				if out := program.Call(t, dir, nil, words(line)...); out.Code != 0 {
					t.Fatalf("%s: exit code %d\n%s", line, out.Code, out.Stderr)
				}
			}
			play("run " + runs[name] + " --name first --set tasks=[" + two[0] + "]")
			play("extend first --quiet --name longer --tasks " + two[1])
			play("run " + runs[name] + " --name whole --set extended=[1] --set tasks=[" + two[0] + "," + two[1] + "]")
			got, want := bitsOf(t, dir, "longer"), bitsOf(t, dir, "whole")
			if got["journal"] != want["journal"] {
				t.Error("the journals differ")
			}
			for part := range want {
				if got[part] != want[part] {
					t.Errorf("the part %s of the last checkpoint differs", part)
				}
			}
		})
	}
}

// bitsOf is the journal's digest and the parts of the last checkpoint of a run.
func bitsOf(t *testing.T, dir, name string) map[string]string {
	t.Helper()
	rec, err := store.Named(store.OS(), filepath.Join(dir, "results"), name)
	if err != nil {
		t.Fatal(err)
	}
	journal, err := rec.Digest()
	if err != nil {
		t.Fatal(err)
	}
	bits := map[string]string{"journal": journal, "config": rec.Manifest.ConfigHash}
	for part, data := range program.LastCheckpoint(t, rec.Dir) {
		bits[part] = fmt.Sprintf("%x", data)
	}
	return bits
}
