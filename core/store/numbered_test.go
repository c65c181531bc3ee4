package store

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"macpro/core"
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
		rec, err := Load(m, r.Dir())
		if err != nil {
			t.Fatal(err)
		}
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
		dir, err := f.Add(rec, 1)
		if err != nil || dir != want {
			t.Fatalf("run %s is in %q, want %q (%v)", rec.Manifest.ID, dir, want, err)
		}
		for _, name := range []string{"config.json", "metrics.json", "info.json", "cout.txt"} {
			got, err := readFile(m, filepath.Join(dir, name))
			own, errOwn := readFile(m, filepath.Join(rec.Dir, sacredDir, name))
			if err != nil || errOwn != nil || string(got) != string(own) {
				t.Errorf("%s/%s is %q, in the run's folder %q (%v, %v)", dir, name, got, own, err, errOwn)
			}
		}
		data, err := readFile(m, filepath.Join(dir, "run.json"))
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

// A run from before the budget was noted has the one that is told.
func TestSacredBudget(t *testing.T) {
	for noted, want := range map[int64]any{0: 77., 5000: 5000.} {
		manifest := testManifest()
		manifest.TMax = noted
		m := newMemFS()
		r, err := createAt(m, testRoot, manifest, []byte("gamma: 0.99\n"), ticks())
		if err == nil {
			err = r.Emit(core.Event{Kind: "train", TEnv: 1, Fields: map[string]any{}})
		}
		if err == nil {
			err = r.Interrupt()
		}
		var rec *Record
		if err == nil {
			rec, err = Load(m, r.Dir())
		}
		var f *SacredFolder
		if err == nil {
			f, err = OpenSacred(m, "sacred")
		}
		if err == nil {
			_, err = f.Add(rec, 77)
		}
		var data []byte
		if err == nil {
			data, err = readFile(m, "sacred/1/config.json")
		}
		var config map[string]any
		if err != nil || json.Unmarshal(data, &config) != nil || !reflect.DeepEqual(config["t_max"], want) {
			t.Errorf("noted %d: t_max %v, %v", noted, config["t_max"], err)
		}
	}
}
