package tables

import (
	"errors"
	"strings"
	"testing"

	"macpro/core/report/internal/study"
	"macpro/core/report/read"
)

// untold are runs that were not told of borders.
func untold() *read.Set {
	set := &read.Set{}
	for seed, found := range map[int64][]int64{ // tasks begin every 1000 transitions
		10: {1100, 2300, 3050},      // every border once
		2:  {500, 1200, 1900, 3400}, // too early, late, twice, and one missed
		3:  nil,                     // none
	} {
		s := study.Made("macpro", "lbf", seed, map[string][]float64{"ctde": {1, 1, .5, .5}})
		s.Settings["boundaries"], s.Borders = "hidden", found
		set.Runs = append(set.Runs, s)
	}
	return set
}

// A row is a run, in the order of methods and seeds, with the delays of its borders.
func TestTableOfBorders(t *testing.T) {
	set := untold()
	told := study.Made("macpro", "lbf", 4, map[string][]float64{"ctde": {1, 1, 1, 1}})
	told.Settings["boundaries"] = "told"
	set.Runs = append(set.Runs, told)
	table := build(t, "boundaries", set, Options{})[0]
	var rows, cells []string
	for _, r := range table.Rows {
		rows = append(rows, strings.Join(r.Labels, " "))
		var own []string
		for _, c := range r.Cells {
			own = append(own, table.Text(c))
			if c.Best {
				t.Errorf("%v: a seed is better than another", r.Labels)
			}
		}
		cells = append(cells, strings.Join(own, " "))
	}
	if got := strings.Join(rows, ", "); got != "MACPro 2, MACPro 3, MACPro 10" {
		t.Errorf("rows %s", got)
	}
	for i, want := range []string{
		"3.00 4.00 300.00 400.00 2.00 1.00 0.75",
		"3.00 0.00 missing missing 0.00 3.00 0.75",
		"3.00 3.00 150.00 300.00 0.00 0.00 0.75",
	} {
		if cells[i] != want {
			t.Errorf("%s: %s, want %s", rows[i], cells[i], want)
		}
	}
	set.Runs = []*read.Summary{told}
	var none *read.NoRunsError
	if _, err := Build("boundaries", set, Options{Library: study.Library(t)}); !errors.As(err, &none) || !strings.Contains(err.Error(), "boundaries=hidden") {
		t.Errorf("without hidden runs: %v", err)
	}
}
