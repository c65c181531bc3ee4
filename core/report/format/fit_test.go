package format

import (
	"strings"
	"testing"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// Lines are broken between words; without columns they have any length.
func TestFitted(t *testing.T) {
	long := strings.Repeat("word ", 20) + "end"
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{long, 0, long},
		{"a b\n", 80, "a b\n"},
		{"one two three", 8, "one two\n    three"},
		{"tasks    right, bottom, top\n", 20, "tasks    right,\n         bottom, top\n"},
		{"  macpro resume results/runs/x --out y\n", 10, "  macpro resume results/runs/x --out y\n"},
		{"config   " + strings.Repeat("f", 30), 20, "config   " + strings.Repeat("f", 30)},
		{"漢字 漢字 漢字", 10, "漢字 漢字\n    漢字"},
	} {
		if got := Fitted(c.text, c.columns); got != c.want {
			t.Errorf("%q in %d columns is %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}

// Every cell of a table that is too wide is in one of its parts, behind its labels, and
// no part is wider than the terminal.
func TestNarrow(t *testing.T) {
	rows := [][]string{{"a configuration", "seeds", "steps until then", "note"}, {"lr=0.001 gamma=0.99", "3", "40000 of 80000", "\x1b[1mbest\x1b[0m of all"}, {"lr=0.1", "2", "7", ""}}
	for columns, parts := range map[int]int{0: 1, 80: 1, 70: 1, 44: 2, 30: 3, 3: 3} {
		all := Narrow(rows, 1, columns)
		if len(all) != parts {
			t.Errorf("%d columns: %d parts, want %d: %q", columns, len(all), parts, all)
		}
		seen := map[string]bool{}
		for _, part := range all {
			if w := tableWidth(widthsOf(part)); columns > 28 && w > columns {
				t.Errorf("%d columns: a part of %d: %q", columns, w, part)
			}
			for i, r := range part {
				if unbroken(r[0]) != rows[i][0] {
					t.Errorf("%d columns: label %q of %q", columns, r[0], rows[i][0])
				}
				for _, cell := range r {
					seen[unbroken(cell)] = true
				}
			}
		}
		for _, r := range rows {
			for _, cell := range r {
				if !seen[cell] {
					t.Errorf("%d columns: %q is lost", columns, cell)
				}
			}
		}
	}
	if got := Narrow([][]string{{"a header", "alone"}}, 1, 10); len(got) != 1 || unbroken(got[0][0][0]) != "a header" {
		t.Errorf("a header without rows is %q", got)
	}
	if w := twwidth.Width("\x1b[1mbest\x1b[0m"); w != 4 {
		t.Errorf("bold letters have width %d", w)
	}
}

func unbroken(cell string) string { return strings.ReplaceAll(cell, "\n", " ") }
