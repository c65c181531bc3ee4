package format

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"slices"
	"strings"
	"testing"

	"macpro/core/metrics"
)

// hostile are names that mean something to a reader of some format.
var hostile = []string{"=HYPERLINK(\"x\")", "+1+cmd", "-2+3", "@SUM(A1)", "\t=1", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>",
	"<!-- x", "<javascript:alert(1)>", "[x](javascript:1)", "a|b", "a_b_", "\x1b[2J\x1b]0;t\x07", "a\r\nb", "\u202eabc", `\write18{rm}`, "a%b", "\x01x", "\x02"}

// Every sink takes the meaning out of names that others chose.
func TestSinksEscape(t *testing.T) {
	raw := regexp.MustCompile(`<[A-Za-z/!?]`)
	for _, name := range hostile {
		table := &Table{Kind: "main", Title: name, Stats: StatsMean, Head: []string{name}, Columns: []Column{{Name: name}},
			Rows: []Row{{Key: name, Labels: []string{name}, Cells: []Cell{{Values: []metrics.Number{0.5}, Mean: 0.5}}, Source: Source{Runs: []string{name}}}},
			Foot: []string{name}}
		for _, format := range Formats() {
			var b bytes.Buffer
			if err := Write(&b, format, []*Table{table}); err != nil {
				t.Fatal(err)
			}
			text := strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(b.String()) // our own, for bold
			if format != "csv" && format != "json" && strings.ContainsAny(text, "\x1b\x07\r\x01\x02\u202e") {
				t.Errorf("%s of %q holds control codes: %q", format, name, text)
			}
			if format == "md" && (raw.MatchString(text) || strings.Contains(text, "](")) {
				t.Errorf("md of %q: %s", name, text)
			}
			if format == "tex" && strings.Contains(text, `\write18`) && !strings.Contains(text, "% ") {
				t.Errorf("tex of %q: %s", name, text)
			}
		}
		var b bytes.Buffer
		if err := Write(&b, "csv", []*Table{table}); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range slices.Concat(lines...) {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") {
				t.Errorf("csv of %q has the cell %q", name, cell)
			}
		}
	}
	for text, want := range map[string]string{"-0.5": "-0.5", "+1e3": "+1e3", "-x": "'-x", "": "", "a": "a"} {
		if got := CSVText(text); got != want {
			t.Errorf("csv of %q is %q", text, got)
		}
	}
	for _, formula := range []string{"sum_{i<M}", "x < 0.1 %", "a<=b"} {
		if got := strings.ReplaceAll(MarkdownText(formula), `\_`, "_"); got != formula {
			t.Errorf("md of %q is %q", formula, got)
		}
	}
}
