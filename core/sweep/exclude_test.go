package sweep

import (
	"strings"
	"testing"
)

// An entry that names a key of no cell is refused, and values are compared by
// what they mean.
func TestExclude(t *testing.T) {
	expand := func(exclude string, flags ...string) (int, error) {
		t.Helper()
		s, err := Parse("x.yaml", []byte("fixed: {env: pp}\ngrids:\n  - {lr: [5, 0.001], tasks: [[a, b], [c]]}\nexclude:\n  - "+exclude), "smoke", "")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Override(flags); err != nil {
			t.Fatal(err)
		}
		points, err := s.Expand(Search{Strategy: "grid"})
		return len(points), err
	}
	for entry, want := range map[string]int{
		"{lr: 5}": 2, "{lr: 5.0, tasks: [c]}": 3, "{lr: 1e-3}": 2, "{tasks: '[a,b]'}": 2, "{lr: 7}": 4, "{env: pp, lr: 5}": 2,
	} {
		if n, err := expand(entry); err != nil || n != want {
			t.Errorf("%s leaves %d points, want %d: %v", entry, n, want, err)
		}
	}
	if _, err := expand("{lrr: 5}"); err == nil || !strings.Contains(err.Error(), `exclude 1: unknown key of the sweep "lrr", did you mean "lr"`) {
		t.Errorf("a slip of a key: %v", err)
	}
	if _, err := expand("{seed: 1}"); err == nil || !strings.Contains(err.Error(), "--seeds") {
		t.Errorf("a seed: %v", err)
	}
	if n, err := expand("{gamma: 0.5, lr: 5}", "gamma=0.50"); err != nil || n != 2 {
		t.Errorf("a key of a flag: %d points, %v", n, err)
	}
}

func TestGridsWithoutPoints(t *testing.T) {
	for _, text := range []string{"grids: []", "grids:", "grids: {lr: [1]}"} {
		if _, err := Parse("x.yaml", []byte(text), "smoke", ""); err == nil || !strings.Contains(err.Error(), "grids: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
