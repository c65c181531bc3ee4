package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	if _, _, err := study.Small().Add(store.OS(), dir); err != nil {
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
	for _, name := range []string{"tables/sensitivity.md", "figures/tasks-9.svg"} {
		if first[name] != "" {
			t.Errorf("%s is still there", name)
		}
	}
	if !slices.Contains(p.Nothing, "table sensitivity") || !slices.Contains(p.Nothing, "figure plasticity") || len(p.Refused) > 0 {
		t.Errorf("%+v", p)
	}
	if !strings.Contains(first["tables/ablation.md"], "missing") {
		t.Error("what the paper printed and was not run is not shown as missing")
	}
}

// Runs that must not be mixed stop their tables and leave old files alone; a run
// takes the place of an older one with its configuration.
func TestPublishRefusesAndReplaces(t *testing.T) {
	lib := study.Library(t)
	dir := t.TempDir()
	set := &read.Set{Runs: []*read.Summary{study.Made("finetuning", "lbf", 1, map[string][]float64{"single": {0, 1}})}}
	if _, _, err := set.Add(store.OS(), dir); err != nil {
		t.Fatal(err)
	}
	newer := *set.Runs[0]
	newer.ID = "newer"
	written, notes, err := (&read.Set{Runs: []*read.Summary{&newer}}).Add(store.OS(), dir)
	if err != nil || len(written) != 1 || len(notes) != 1 || len(files(t, dir)) != 1 {
		t.Errorf("written %v, notes %v, files %d, %v", written, notes, len(files(t, dir)), err)
	}
	open := study.Made("finetuning", "lbf", 3, map[string][]float64{"single": {0, 1}})
	open.Status = record.Interrupted
	other := study.With(study.Made("finetuning", "lbf", 2, map[string][]float64{"single": {0, 1}}), "profile", "smoke")
	if _, notes, err = (&read.Set{Runs: []*read.Summary{other, open}}).Add(store.OS(), dir); err != nil || len(notes) != 1 {
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
