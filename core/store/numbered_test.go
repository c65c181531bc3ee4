package store

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
)

// Runs in one Sacred folder have numbers of their own and keep them. Their files
// are those in the run's folder.
func TestSacredFolder(t *testing.T) {
	var records []*Record
	r, m := newRun(t, sound)
	for i := range 2 {
		if i > 0 {
			var err error
			if r, err = createAt(m, testRoot, testManifest(), []byte("gamma: 0.99\n"), ticks()); err != nil {
				t.Fatal(err)
			}
		}
		emitRun(t, r)
		if _, err := fmt.Fprintln(r.Log(), "hello"); err != nil {
			t.Fatal(err)
		}
		if err := r.Interrupt(); err != nil {
			t.Fatal(err)
		}
		rec := loaded(t, m, r)
		records = append(records, rec)
	}
	for _, name := range []string{"sacred/10", "sacred/2", "sacred/_sources"} { // somebody else's
		if err := m.MkdirAll(name); err != nil {
			t.Fatal(err)
		}
	}
	add := func(rec *Record, want string) {
		t.Helper()
		f, err := OpenSacred(m, "sacred")
		if err != nil {
			t.Fatal(err)
		}
		dir, err := f.Add(rec)
		if err != nil || dir != want {
			t.Fatalf("run %s is in %q, want %q (%v)", rec.Manifest.ID, dir, want, err)
		}
		for _, name := range []string{"config.json", "metrics.json", "info.json", "cout.txt"} {
			got, err := ReadFile(m, filepath.Join(dir, name))
			own, errOwn := ReadFile(m, filepath.Join(rec.Dir, sacredDir, name))
			if err != nil || errOwn != nil || string(got) != string(own) {
				t.Errorf("%s/%s is %q, in the run's folder %q (%v, %v)", dir, name, got, own, err, errOwn)
			}
		}
		data, err := ReadFile(m, filepath.Join(dir, "run.json"))
		var run struct {
			ID     int `json:"_id"`
			Status string
		}
		if err != nil || json.Unmarshal(data, &run) != nil || fmt.Sprintf("sacred/%d", run.ID) != want || run.Status != "INTERRUPTED" {
			t.Errorf("run.json %+v, %v", run, err)
		}
	}
	add(records[0], "sacred/11")
	add(records[1], "sacred/12")
	add(records[0], "sacred/11")
}
