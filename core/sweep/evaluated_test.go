package sweep

import (
	"os"
	"strings"
	"testing"

	"macpro/core/report"
)

// An evaluation counts only if it is whole and was made as it is asked for.
func TestStoredEvaluations(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
	e := Evaluate{Name: "probes", Tasks: "all", Modes: "ctde", Sets: []string{"n=5"}}
	const printed = `{"t_env": 9, "tests": [{"task": "a", "mode": "ctde", "episodes": 4, "score": 0.5}, {"task": "b", "mode": "ctde", "episodes": 4, "score": 1}]}`
	if err := s.keep("r", e, []byte(printed[:40])); err == nil {
		t.Error("half a result was kept")
	}
	if err := s.keep("r", e, []byte("{}")); err == nil {
		t.Error("a result without tests was kept")
	}
	if err := s.keep("r", e, []byte(printed)); err != nil || !s.evaluated("r", e) {
		t.Fatalf("what was kept is not found: %v", err)
	}
	for _, other := range []Evaluate{
		{Name: "probes", Tasks: "seen", Modes: "ctde", Sets: e.Sets},
		{Name: "probes", Tasks: "all", Sets: e.Sets},
	} {
		if s.evaluated("r", other) {
			t.Errorf("%v was taken for %v", e, other)
		}
	}
	file := report.EvaluationFile(s.Root, "r", e.File())
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(whole)
	for what, bad := range map[string]string{
		"cut":            text[:len(text)/2],
		"no test":        "{}\n",
		"older":          strings.Replace(text, `"asked"`, `"other"`, 1),
		"other sets":     strings.Replace(text, "n=5", "n=6", 1),
		"fewer episodes": strings.Replace(text, `"episodes": 4`, `"episodes": 1`, 1),
		"another run":    strings.Replace(text, `"run": "r"`, `"run": "q"`, 1),
	} {
		if bad == text {
			t.Fatalf("%s changes nothing in %s", what, text)
		}
		if err := os.WriteFile(file, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if s.evaluated("r", e) {
			t.Errorf("%s: taken as it is", what)
		}
	}
}
