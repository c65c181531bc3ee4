package sweep

import (
	"os"
	"strings"
	"testing"

	"macpro/core/record"
	"macpro/core/store"
)

// finishedRun makes a run that is done, of 9 steps, in the sweep's results.
func finishedRun(t *testing.T, s *Sweep) *store.Record {
	t.Helper()
	run, err := store.Create(s.FS, s.Root, store.Manifest{Alg: "a", Env: "e", Learner: "l"}, nil)
	if err == nil {
		err = run.Finish(record.Result{Outcome: record.Outcome{TrainEnvSteps: 9}})
	}
	if err != nil {
		t.Fatal(err)
	}
	rec, err := store.Load(s.FS, run.Dir())
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// save stores an evaluation as the program does that makes it.
func save(t *testing.T, rec *store.Record, e Evaluate, tests ...record.EvaluationTest) string {
	t.Helper()
	v := record.Evaluation{Run: rec.Manifest.ID, Name: e.Name, Sets: e.Sets, TEnv: 9, Tests: tests}
	asked := record.Asked{Tasks: e.Tasks, Modes: e.Modes}.Count(tests)
	v.Asked = &asked
	file, err := rec.SaveEvaluation(&v)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// An evaluation counts only if it is whole and was made as it is asked for.
func TestStoredEvaluations(t *testing.T) {
	s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, 1)
	e := Evaluate{Name: "probes", Tasks: "all", Modes: "ctde", Sets: []string{"n=5"}}
	rec := finishedRun(t, s)
	run := rec.Manifest.ID
	if s.evaluated(run, e) {
		t.Error("a run without evaluations has one")
	}
	file := save(t, rec, e, record.EvaluationTest{Task: "a", Mode: "ctde", Episodes: 4, Score: .5}, record.EvaluationTest{Task: "b", Mode: "ctde", Episodes: 4, Score: 1})
	if !s.evaluated(run, e) {
		t.Fatal("what was kept is not found")
	}
	for _, other := range []Evaluate{
		{Name: "probes", Tasks: "seen", Modes: "ctde", Sets: e.Sets},
		{Name: "probes", Tasks: "all", Sets: e.Sets},
	} {
		if s.evaluated(run, other) {
			t.Errorf("%v was taken for %v", e, other)
		}
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(whole)
	for what, bad := range map[string]string{
		"cut":             text[:len(text)/2],
		"no test":         "{}\n",
		"older":           strings.Replace(text, `"asked"`, `"other"`, 1),
		"other sets":      strings.Replace(text, "n=5", "n=6", 1),
		"fewer episodes":  strings.Replace(text, `"episodes": 4`, `"episodes": 1`, 1),
		"given episodes":  strings.Replace(text, `"modes": "ctde",`, `"modes": "ctde", "given": 4,`, 1),
		"another run":     strings.Replace(text, run, "q", 1),
		"an earlier step": strings.Replace(text, `"t_env": 9`, `"t_env": 8`, 1),
		"edited":          strings.Replace(text, `"asked"`, `"edited": true, "asked"`, 1),
	} {
		if bad == text {
			t.Fatalf("%s changes nothing in %s", what, text)
		}
		if err := os.WriteFile(file, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if s.evaluated(run, e) {
			t.Errorf("%s: taken as it is", what)
		}
	}
}
