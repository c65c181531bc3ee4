package report

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"macpro/core/record"
	"macpro/core/report/internal/study"
	"macpro/core/report/read"
	"macpro/core/report/tables"
	"macpro/core/store"
)

// files lists all files below a folder with their content.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What is published follows from the summaries alone, byte for byte, and what no
// run supports any more goes away; other files stay.
func TestPublish(t *testing.T) {
	lib := study.Library(t)
	dir := t.TempDir()
	if _, _, err := study.WithVDN(study.Small()).Add(store.OS(), dir, nil); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"README.md": "mine", "tables/notes.md": "mine", "tables/sensitivity.md": "old", "figures/tasks-9.svg": "old"} {
		if err := store.WriteFile(store.OS(), filepath.Join(dir, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	publish := func() (Published, map[string]string) {
		set, err := read.LoadSummaries(store.OS(), dir)
		if err != nil || len(set.Warnings) > 0 {
			t.Fatal(err, set.Warnings)
		}
		p, err := Publish(store.OS(), dir, set, tables.Options{Library: lib})
		if err != nil {
			t.Fatal(err)
		}
		return p, files(t, dir)
	}
	p, first := publish()
	if _, again := publish(); len(again) != len(first) {
		t.Errorf("%d files, then %d", len(first), len(again))
	} else {
		for name, data := range first {
			if again[name] != data {
				t.Errorf("%s differs the second time", name)
			}
		}
	}
	for _, name := range []string{"README.md", "tables/notes.md", "tables/main.md", "tables/metrics.tex", "tables/integrative.csv", "figures/main.png", "figures/tasks-2.svg"} {
		if first[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	for _, name := range []string{"tables/sensitivity.md", "tables/ablation.md", "figures/tasks-9.svg"} {
		if first[name] != "" {
			t.Errorf("%s is still there", name)
		}
	}
	if !slices.Contains(p.Nothing, "table sensitivity") || !slices.Contains(p.Nothing, "figure plasticity") || len(p.Refused) > 0 {
		t.Errorf("%+v", p)
	}
	if !strings.Contains(first["tables/integrative.md"], "missing") {
		t.Error("what the paper printed and was not run is not shown as missing")
	}
}

// Runs that must not be mixed stop their tables and leave old files alone; a run
// takes the place of an older one with its configuration.
func TestPublishRefusesAndReplaces(t *testing.T) {
	lib := study.Library(t)
	dir := t.TempDir()
	set := &read.Set{Runs: []*read.Summary{study.Made("finetuning", "lbf", 1, map[string][]float64{"single": {0, 1}})}}
	if _, _, err := set.Add(store.OS(), dir, nil); err != nil {
		t.Fatal(err)
	}
	newer := *set.Runs[0]
	newer.ID = "newer"
	written, notes, err := (&read.Set{Runs: []*read.Summary{&newer}}).Add(store.OS(), dir, nil)
	if err != nil || len(written) != 1 || len(notes) != 1 || len(files(t, dir)) != 1 {
		t.Errorf("written %v, notes %v, files %d, %v", written, notes, len(files(t, dir)), err)
	}
	open := study.Made("finetuning", "lbf", 3, map[string][]float64{"single": {0, 1}})
	open.Status = record.Interrupted
	other := study.With(study.Made("finetuning", "lbf", 2, map[string][]float64{"single": {0, 1}}), "profile", "smoke")
	if _, notes, err = (&read.Set{Runs: []*read.Summary{other, open}}).Add(store.OS(), dir, nil); err != nil || len(notes) != 1 {
		t.Errorf("an unfinished run: notes %v, %v", notes, err)
	}
	if err := store.WriteFile(store.OS(), filepath.Join(dir, "tables", "main.md"), []byte("old")); err != nil {
		t.Fatal(err)
	}
	if set, err = read.LoadSummaries(store.OS(), dir); err != nil || len(set.Runs) != 2 {
		t.Fatal(err, len(set.Runs))
	}
	p, err := Publish(store.OS(), dir, set, tables.Options{Library: lib})
	if err != nil || len(p.Refused) == 0 || !strings.Contains(p.Refused[0], "must not be mixed") {
		t.Errorf("%+v, %v", p, err)
	}
	if files(t, dir)["tables/main.md"] != "old" {
		t.Error("the old table is gone")
	}
}

// full is a disk on which no file can be written.
type full struct{ store.FS }

func (full) Create(string) (store.File, error) { return nil, errors.New("no space left") }

// A folder of summaries is as it was if the new runs must not be mixed with its own or
// cannot be written. A run that is newer than the added one stays.
func TestAddLosesNothing(t *testing.T) {
	lib := study.Library(t)
	dir := t.TempDir()
	there := study.Made("finetuning", "lbf", 1, map[string][]float64{"single": {0, 1}})
	there.Created = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	if _, _, err := (&read.Set{Runs: []*read.Summary{there}}).Add(store.OS(), dir, nil); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	at := func(day int) *read.Summary {
		s := *there
		s.ID, s.Created = "other", time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)
		return &s
	}
	o := tables.Options{Library: lib}
	refuse := func(joined *read.Set) error {
		refused, err := Check(joined, o)
		if len(refused) > 0 {
			err = errors.Join(err, errors.New(refused[0]))
		}
		return err
	}
	for name, c := range map[string]struct {
		fsys  store.FS
		run   *read.Summary
		note  string
		wrong string
	}{
		"an older run": {store.OS(), at(1), "is newer and stays", ""},
		"a full disk":  {full{store.OS()}, at(3), "takes its place", "no space left"},
		"another profile": {
			store.OS(), study.With(study.Made("finetuning", "lbf", 2, map[string][]float64{"single": {0, 1}}), "profile", "smoke"), "", "must not be mixed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, notes, err := (&read.Set{Runs: []*read.Summary{c.run}}).Add(c.fsys, dir, refuse)
			if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("error %v, want %q", err, c.wrong)
			}
			if c.note != "" && (len(notes) != 1 || !strings.Contains(notes[0], c.note)) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
			if !maps.Equal(files(t, dir), before) {
				t.Error("the folder has changed")
			}
		})
	}
	if written, _, err := (&read.Set{Runs: []*read.Summary{at(3)}}).Add(store.OS(), dir, refuse); err != nil || len(written) != 1 || len(files(t, dir)) != 1 {
		t.Errorf("a newer run: written %v, files %d, %v", written, len(files(t, dir)), err)
	}
}
