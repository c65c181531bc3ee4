package sweep

import (
	"slices"
	"testing"
)

// A cell whose process somebody has killed says by which signal and what its
// last words were, and may be tried again; one that fails says so.
func TestLastWords(t *testing.T) {
	for script, want := range map[string]State{
		"echo out of memory >&2; kill -9 $$": {Status: Interrupted, Attempts: 2, Error: "killed by signal 9 (killed)", Tail: []string{"out of memory", "out of memory"}},
		"echo no such map; exit 3":           {Status: Failed, Attempts: 1, Error: "exit code 3: no such map", Tail: []string{"no such map"}},
	} {
		s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
		w := &Worker{Sweep: s, Command: []string{"sh", "-c", script}, Retries: 1, runs: NewRuns(s.FS, s.Root)}
		got := w.work(t.Context(), job{cell: s.Cells[0]}, s.stored(s.Cells[0]))
		if got.Status != want.Status || got.Attempts != want.Attempts || got.Error != want.Error || !slices.Equal(got.Tail, want.Tail) {
			t.Errorf("%s: %+v, want %+v", script, got, want)
		}
	}
}
