package store

import (
	"errors"
	"strings"
	"testing"

	"macpro/core"
)

// Rows about tests are read back like a journal, replace those of the same name
// and leave the rest of the folder alone.
func TestSaveEvaluation(t *testing.T) {
	fsys := newMemFS()
	run, err := Create(fsys, "out", Manifest{Alg: "a", Env: "e", Learner: "l"}, []byte("x: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	rec, err := Load(fsys, run.Dir())
	if err != nil {
		t.Fatal(err)
	}
	before, err := rec.Digest()
	if err != nil {
		t.Fatal(err)
	}
	var path string
	for n := range 3 {
		var rows []core.Event
		for i := range n + 1 {
			rows = append(rows, core.Event{Kind: "test", TEnv: 40, Episode: 7, Task: "right", Fields: map[string]any{"score": float64(i) / 2}})
		}
		if path, err = rec.SaveEvaluation("40-seen", rows); err != nil {
			t.Fatal(err)
		}
	}
	f, err := fsys.Open(path)
	if err != nil || !strings.HasPrefix(path, run.Dir()) {
		t.Fatalf("%s: %v", path, err)
	}
	n := 0
	for row, err := range ReadJournal(f) {
		if s, ok := row.Float("score"); err != nil || !ok || s != float64(n)/2 || row.TEnv != 40 || row.Episode != 7 || row.Task != "right" {
			t.Errorf("row %d is %+v, %v", n, row, err)
		}
		n++
	}
	if after, err := rec.Digest(); err != nil || after != before || n != 3 {
		t.Errorf("%d rows, journal %s and before %s, %v", n, after, before, err)
	}
	if _, err := rec.SaveEvaluation("bad", []core.Event{{Kind: "test", Fields: map[string]any{"event": 1}}}); err == nil {
		t.Error("a row with a reserved key was written")
	}
	if err := errors.Join(f.Close(), run.Interrupt()); err != nil {
		t.Fatal(err)
	}
}
