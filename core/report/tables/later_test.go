package tables

import (
	"strings"
	"testing"

	"macpro/core/report/internal/study"
	"macpro/core/report/read"
	"macpro/core/store"
)

// grown is the grid with runs of two programs: the newer one has a key more, which
// stands at its neutral value but in one run.
func grown(t *testing.T) *read.Set {
	set := grid()
	for _, s := range set.Runs[2:] {
		s.Settings["later"] = "0"
		s.Unhashed = []string{"later"}
	}
	other := study.With(study.Made("finetuning", "lbf", 1, map[string][]float64{"single": {0, 1}}), "lr", "0.0005", "gamma", "0.99", "later", "3")
	dir := t.TempDir()
	set.Runs = append(set.Runs, other)
	if err := set.Save(store.OS(), dir); err != nil {
		t.Fatal(err)
	}
	set, err := read.LoadSummaries(store.OS(), dir)
	if err != nil || len(set.Warnings) > 0 {
		t.Fatal(err, set.Warnings)
	}
	return set
}

// A run from before a key existed counts as one with the key's neutral value.
func TestKeysThatCameLater(t *testing.T) {
	set := grown(t)
	made := build(t, "configurations", set, Options{})[0]
	var got []string
	for _, r := range made.Rows {
		got = append(got, strings.Join(r.Labels, " "))
	}
	want := "0.9 0 0.0005, 0.9 0 0.001, 0.99 0 0.0005, 0.99 0 0.001, 0.99 3 0.0005"
	if strings.Join(made.Head, " ") != "gamma later lr" || strings.Join(got, ", ") != want {
		t.Errorf("%v: %s", made.Head, strings.Join(got, ", "))
	}
	same, err := set.Where([]string{"later=0"})
	if err != nil || len(same.Runs) != 8 {
		t.Fatal(err, len(same.Runs))
	}
	made = build(t, "configurations", same, Options{})[0]
	if strings.Join(made.Head, " ") != "gamma lr" {
		t.Errorf("a column for a key with one meaning: %v", made.Head)
	}
	one, err := same.Where([]string{"lr=0.001"})
	if err != nil {
		t.Fatal(err)
	}
	if values, family := varying(one.Runs, "gamma"); strings.Join(values, " ") != "0.9 0.99" || len(family) != 4 {
		t.Errorf("old and new runs are no family: %v, %d runs", values, len(family))
	}
}
