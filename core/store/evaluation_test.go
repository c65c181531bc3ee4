package store

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"macpro/core/record"
)

// evaluationOf is a test of one task, of n episodes.
func evaluationOf(rec *Record, name, config string, n int) *record.Evaluation {
	index := 0
	asked := record.Asked{Tasks: "seen", Tests: 1, Episodes: n}
	return &record.Evaluation{
		Run: rec.Manifest.ID, Name: name, TEnv: 40, Checkpoint: "c", ConfigHash: config, Asked: &asked,
		Tests: []record.EvaluationTest{{Task: "right", Index: &index, Mode: "m", Seen: true, Episodes: n, Score: .5,
			TestStats: &record.TestStats{ReturnMean: 2}, Rows: []record.Played{{Seed: "0x1", Return: 2, Length: 3, Heads: []int32{-1, 0}}}}},
	}
}

// An evaluation is read back as it was written, replaces none but its equal, and
// leaves the rest of the folder alone.
func TestEvaluations(t *testing.T) {
	run, fsys := newRun(t, sound)
	rec := loaded(t, fsys, run)
	before, err := rec.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if list, _, err := rec.Evaluations(); len(list) != 0 || err != nil {
		t.Fatalf("a new run has evaluations %v, %v", list, err)
	}
	files := map[string]bool{}
	for _, e := range []*record.Evaluation{
		evaluationOf(rec, "seen", "1", 4), evaluationOf(rec, "seen", "1", 4), // equal
		evaluationOf(rec, "seen", "2", 4), // of an edited configuration
		evaluationOf(rec, "seen", "1", 9), evaluationOf(rec, "a/b", "1", 4),
	} {
		path, err := rec.SaveEvaluation(e)
		if err != nil || filepath.Dir(path) != filepath.Join(run.Dir(), "evaluations") {
			t.Fatalf("%s: %v", path, err)
		}
		files[path] = true
	}
	list, warnings, err := rec.Evaluations()
	if err != nil || len(warnings) != 0 || len(list) != 4 || len(files) != 4 {
		t.Fatalf("%d files, %d evaluations, %q, %v", len(files), len(list), warnings, err)
	}
	if list[0].Name != "a/b" || list[1].Tests[0].Episodes != 9 {
		t.Errorf("the order is %+v", list)
	}
	got, err := list[1].Encode()
	want, err2 := evaluationOf(rec, "seen", "1", 9).Encode()
	if string(got) != string(want) || err != nil || err2 != nil {
		t.Errorf("%s was read back as %s", want, got)
	}
	if after, err := rec.Digest(); err != nil || after != before {
		t.Errorf("journal %s and before %s, %v", after, before, err)
	}
	if err := run.Interrupt(); err != nil {
		t.Fatal(err)
	}
}

// An evaluation in which anything was changed by hand is named and not read; its
// layout does not matter.
func TestEditedEvaluation(t *testing.T) {
	run, fsys := newRun(t, sound)
	rec := loaded(t, fsys, run)
	path, err := rec.SaveEvaluation(evaluationOf(rec, "seen", "1", 4))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := ReadFile(fsys, path)
	if err != nil {
		t.Fatal(err)
	}
	digest := regexp.MustCompile(`(?m),\n "digest": "[0-9a-f]{64}"$`)
	for _, c := range []struct {
		old, edited string
		changed     bool
	}{
		{`"score": 0.5`, `"score": 0.99`, true},
		{`"score": 0.5`, `"score": null`, true},
		{`"task": "right"`, `"task": "left"`, true},
		{`"index": 0`, `"index": 1`, true},
		{`"mode": "m"`, `"mode": "n"`, true},
		{`"seen": true`, `"seen": false`, true},
		{`"episodes": 4`, `"episodes": 5`, true},
		{`"return_mean": 2`, `"return_mean": 3`, true},
		{`"seed": "0x1"`, `"seed": "0x2"`, true},
		{`"t_env": 40`, `"t_env": 41`, true},
		{`"checkpoint": "c"`, `"checkpoint": "d"`, true},
		{`"config_hash": "1"`, `"config_hash": "2"`, true},
		{"\n ", "\n", false},
		{digest.FindString(string(stored)), "", true},
	} {
		edited := strings.Replace(string(stored), c.old, c.edited, 1)
		if c.old == "" || edited == string(stored) {
			t.Fatalf("%q is not in %s", c.old, stored)
		}
		if err := WriteFile(fsys, path, []byte(edited)); err != nil {
			t.Fatal(err)
		}
		list, warnings, err := rec.Evaluations()
		if told := len(warnings) == 1 && strings.Contains(warnings[0], path) && strings.Contains(warnings[0], "changed after"); err != nil ||
			c.changed != told || c.changed != (len(list) == 0) {
			t.Errorf("%s instead of %s: %d evaluations, %q, %v", c.edited, c.old, len(list), warnings, err)
		}
	}
	if err := run.Interrupt(); err != nil {
		t.Fatal(err)
	}
}

// What is no evaluation of the run is named.
func TestForeignEvaluations(t *testing.T) {
	run, fsys := newRun(t, sound)
	rec := loaded(t, fsys, run)
	other := evaluationOf(rec, "seen", "1", 4)
	other.Run = "other"
	_, err := rec.SaveEvaluation(other)
	for name, text := range map[string]string{"cut.json": `{"run": "`, "notes.txt": "mine"} {
		err = errors.Join(err, WriteFile(fsys, filepath.Join(run.Dir(), "evaluations", name), []byte(text)))
	}
	list, warnings, err2 := rec.Evaluations()
	if err := errors.Join(err, err2); err != nil || len(list) != 0 || len(warnings) != 2 ||
		!strings.Contains(warnings[0], `belongs to run "other"`) || !strings.Contains(warnings[1], "cut.json is no evaluation") {
		t.Errorf("%+v, %q, %v", list, warnings, err)
	}
	if err := run.Interrupt(); err != nil {
		t.Fatal(err)
	}
}
