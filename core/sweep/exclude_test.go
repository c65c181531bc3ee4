package sweep

import (
	"strings"
	"testing"
)

// An entry that names a key of no cell is refused, values are compared by what they
// mean, and an entry without effect is told, unless it is a flag that took it.
func TestExclude(t *testing.T) {
	expand := func(exclude string, change func(s *Spec) error) (int, []string, error) {
		t.Helper()
		s, err := Parse("x.yaml", []byte("fixed: {env: pp}\ngrids:\n  - {lr: [5, 0.001], tasks: [[a, b], [c]], double_q: [true], on: [keep]}\nexclude:\n  - "+exclude), "smoke", "")
		if err != nil {
			t.Fatal(err)
		}
		if err := change(&s); err != nil {
			t.Fatal(err)
		}
		points, notes, err := s.Expand(Search{Strategy: "grid"})
		return len(points), notes, err
	}
	set := func(flags ...string) func(s *Spec) error {
		return func(s *Spec) error { return s.Override(flags) }
	}
	for _, c := range []struct {
		entry  string
		change func(s *Spec) error
		left   int
		note   string
	}{
		{"{lr: 5}", set(), 2, ""},
		{"{lr: 5.0, tasks: [c]}", set(), 3, ""},
		{"{lr: 1e-3}", set(), 2, ""},
		{"{lr: 0.00100}", set(), 2, ""},
		{"{lr: 5e0}", set(), 2, ""},
		{"{tasks: '[a,b]'}", set(), 2, ""},
		{"{tasks: '[ c]', double_q: True}", set(), 2, ""},
		{"{on: '\"keep\"', lr: 5}", set(), 2, ""},
		{"{env: pp, lr: 5}", set(), 2, ""},
		{"{gamma: 0.5, lr: 5}", set("gamma=0.50"), 2, ""},
		{"{lr: 7}", set(), 4, "exclude 1 leaves nothing out: no configuration has lr=7"},
		{"{lr: 5, tasks: [b, a]}", set(), 4, "no configuration has tasks=[b, a]"},
		{"{lr: 5, env: lbf}", set(), 4, "no configuration has env=lbf"},
		{"{lr: 5, tasks: [c]}", func(s *Spec) error { return s.Choose("lr", []string{"0.001"}) }, 2, ""},
	} {
		n, notes, err := expand(c.entry, c.change)
		if err != nil || n != c.left {
			t.Errorf("%s leaves %d points, want %d: %v", c.entry, n, c.left, err)
		}
		if got := strings.Join(notes, "; "); (c.note == "") != (got == "") || !strings.Contains(got, c.note) {
			t.Errorf("%s: the note is %q, want %q", c.entry, got, c.note)
		}
	}
	for entry, want := range map[string]string{
		"{lrr: 5}":  `exclude 1: unknown key of the sweep "lrr", did you mean "lr"`,
		"{seed: 1}": "--seeds",
	} {
		if _, _, err := expand(entry, set()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", entry, err, want)
		}
	}
	two := Spec{Grids: []Grid{{{Key: "a", Values: []string{"1"}}, {Key: "b", Values: []string{"1"}}}, {{Key: "a", Values: []string{"2"}}, {Key: "b", Values: []string{"2"}}}},
		Exclude: []map[string]string{{"a": "1", "b": "2"}}}
	if _, notes, err := two.Expand(Search{Strategy: "grid"}); err != nil || len(notes) != 1 || !strings.Contains(notes[0], "has all of its values") {
		t.Errorf("values of two grids: %v %v", notes, err)
	}
}

func TestGridsWithoutPoints(t *testing.T) {
	for _, text := range []string{"grids: []", "grids:", "grids: {lr: [1]}"} {
		if _, err := Parse("x.yaml", []byte(text), "smoke", ""); err == nil || !strings.Contains(err.Error(), "grids: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
