package format

import (
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// Fitted breaks the lines of a text between words where they are longer than the
// columns of a terminal. What follows stands below the first word behind two blanks,
// which end a label, or is indented. Commands to be pasted and words that are too long
// stay whole. With 0 columns, all lines do.
func Fitted(text string, columns int) string {
	if columns == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		if twwidth.Width(line) > columns && !IsCommand(line) {
			first, other := hanging(line, columns)
			line = strings.Join(Fold(first, other, strings.Fields(line[len(first):]), columns), "\n")
		}
		b.WriteString(line)
		if ended {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// hanging is what a line begins with, and the blanks in front of its further lines.
func hanging(line string, columns int) (first, other string) {
	lead := leading(line)
	if i := strings.Index(line[len(lead):], "  "); i > 0 {
		first = line[:len(lead)+i]
		first += leading(line[len(first):])
		if w := twwidth.Width(first); w <= columns/2 {
			return first, strings.Repeat(" ", w)
		}
	}
	return lead, lead + "    "
}

func leading(text string) string { return text[:len(text)-len(strings.TrimLeft(text, " "))] }

// IsCommand says whether a line is one to be pasted into a shell.
func IsCommand(line string) bool {
	return strings.HasPrefix(line, " ") && strings.HasPrefix(strings.TrimLeft(line, " "), "macpro ")
}

// Fold puts words side by side into lines of at most so many columns. The first line
// begins with one text, the others with another. A word that is too long has a line of
// its own.
func Fold(first, other string, words []string, columns int) (lines []string) {
	line, empty := first, true
	for _, w := range words {
		if !empty && twwidth.Width(line)+1+twwidth.Width(w) > columns {
			lines = append(lines, line)
			line, empty = other, true
		}
		if !empty {
			line += " "
		}
		line += w
		empty = false
	}
	return append(lines, line)
}

// Narrow lays out the rows of a table, the header first, for a terminal of so many
// columns: long labels and headers are broken between words. Columns that find no room
// even so stand in further tables. Each of these begins with the first columns, the
// labels. With 0 columns the table stays as it is.
func Narrow(rows [][]string, labels, columns int) [][][]string {
	widths := widthsOf(rows)
	if columns == 0 || tableWidth(widths) <= columns {
		return [][][]string{rows}
	}
	rows = broken(rows, labels, columns)
	widths = widthsOf(rows)
	var tables [][][]string
	for at := labels; at < len(widths) || at == labels; {
		to := at + 1
		for to < len(widths) && tableWidth(slices.Concat(widths[:labels], widths[at:to+1])) <= columns {
			to++
		}
		var table [][]string
		room := columns - tableWidth(widths[:labels]) - 3
		for _, r := range rows {
			r = slices.Concat(r[:labels], r[min(at, len(r)):min(to, len(r))])
			if to == at+1 && len(r) > labels { // the only one, which may be too wide alone
				r[labels] = breakAt(r[labels], room)
			}
			table = append(table, r)
		}
		tables = append(tables, table)
		at = to
	}
	return tables
}

// broken breaks labels that take more than their share of the columns, and headers that
// are wider than what stands below them.
func broken(rows [][]string, labels, columns int) [][]string {
	below := append(widthsOf(rows[1:]), make([]int, len(rows[0]))...)
	out := [][]string{}
	for i, r := range rows {
		r = slices.Clone(r)
		for j := range r {
			most := columns * 2 / 5 / max(labels, 1)
			if j >= labels {
				most = below[j]
			}
			if j < labels || i == 0 {
				r[j] = breakAt(r[j], most)
			}
		}
		out = append(out, r)
	}
	return out
}

// breakAt breaks a cell that is wider than most.
func breakAt(cell string, most int) string {
	if twwidth.Width(cell) <= most {
		return cell
	}
	lead := leading(cell)
	return strings.Join(Fold(lead, lead, strings.Fields(cell), most), "\n")
}

func widthsOf(rows [][]string) []int {
	var out []int
	for _, r := range rows {
		for j, cell := range r {
			if j == len(out) {
				out = append(out, 0)
			}
			for line := range strings.SplitSeq(cell, "\n") {
				out[j] = max(out[j], twwidth.Width(line))
			}
		}
	}
	return out
}

// tableWidth is the width with borders and a blank at each side of a cell.
func tableWidth(widths []int) int {
	sum := 1
	for _, w := range widths {
		sum += w + 3
	}
	return sum
}
