package format

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"macpro/core/names"
)

// formats of tables by name; the name is also the extension of a file.
var formats = []struct {
	name  string
	write func(io.Writer, []*Table) error
}{
	{"text", each(func(w io.Writer, t *Table) error { return writeText(w, t, 0, false) })},
	{"color", each(func(w io.Writer, t *Table) error { return writeText(w, t, 0, true) })},
	{"md", each(writeMarkdown)},
	{"tex", each(writeTeX)},
	{"csv", writeCSV},
	{"json", writeJSON},
}

// Formats lists the formats of tables: text, color (text with bold letters for
// a terminal), md, tex, csv, json.
func Formats() []string {
	var out []string
	for _, f := range formats {
		out = append(out, f.name)
	}
	return out
}

// Write writes tables in a format.
func Write(w io.Writer, format string, tables []*Table) error {
	for _, f := range formats {
		if f.name == format {
			return f.write(w, tables)
		}
	}
	return names.Unknown("format", format, Formats())
}

// Show writes tables as text for a terminal of so many columns, see Narrow, in bold
// letters if it has some.
func Show(w io.Writer, tables []*Table, columns int, letters bool) error {
	return each(func(w io.Writer, t *Table) error { return writeText(w, t, columns, letters) })(w, tables)
}

// each writes tables one after the other with an empty line between.
func each(write func(io.Writer, *Table) error) func(io.Writer, []*Table) error {
	return func(w io.Writer, tables []*Table) error {
		for i, t := range tables {
			if i > 0 {
				if _, err := fmt.Fprintln(w); err != nil {
					return err
				}
			}
			if err := write(w, t); err != nil {
				return err
			}
		}
		return nil
	}
}

// grid is the table as texts: label columns, the number of seeds, then the
// columns of numbers, with texts made safe by escape; below a row that the paper printed stands a row with its
// values.
func (t *Table) grid(bold func(string) string, paper string, escape func(string) string) (header []string, rows [][]string) {
	for _, h := range t.headers() {
		header = append(header, escape(h))
	}
	seeds := t.showsSeeds()
	for _, r := range t.Rows {
		var line []string
		for _, l := range r.Labels {
			line = append(line, escape(l))
		}
		if seeds {
			line = append(line, r.SeedCounts())
		}
		under := make([]string, len(line))
		under[len(t.Head)-1] = paper
		for _, c := range r.Cells {
			text := t.Text(c)
			if c.Best {
				text = bold(text)
			}
			line, under = append(line, text), append(under, PaperText(c))
		}
		if rows = append(rows, line); r.HasPaper() {
			rows = append(rows, under)
		}
	}
	return header, rows
}

func (t *Table) headers() []string {
	out := slices.Clone(t.Head)
	if t.showsSeeds() {
		out = append(out, "seeds")
	}
	for _, c := range t.Columns {
		out = append(out, c.Name)
	}
	return out
}

// Grid is the table as texts, with the best numbers made bold: headers and rows,
// of which the first len(Head) cells are labels. Below a row that the paper
// printed stands one with PaperLabel.
func (t *Table) Grid(bold func(string) string) (header []string, rows [][]string) {
	return t.grid(bold, PaperLabel, terminalText)
}

// showsSeeds is false where rows have no runs of their own.
func (t *Table) showsSeeds() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.SeedCounts() != "0" })
}

// SeedCounts is the number of seeds behind the row, or, where its cells have
// different ones, behind each cell.
func (r Row) SeedCounts() string {
	var counts []string
	for _, c := range r.Cells {
		if c.Source != nil {
			counts = append(counts, strconv.Itoa(len(c.Source.Seeds)))
		}
	}
	if len(counts) == 0 {
		return strconv.Itoa(len(r.Seeds))
	}
	if len(slices.Compact(slices.Clone(counts))) == 1 {
		return counts[0]
	}
	return strings.Join(counts, "/")
}

// Repeated says whether several runs behind a cell have one seed.
func (r Row) Repeated() bool {
	more := func(s Source) bool { return len(s.Runs) > len(s.Seeds) }
	return more(r.Source) || slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Source != nil && more(*c.Source) })
}

// PaperLabel names the row below a row: what the paper printed and, in
// brackets, our mean minus the paper's.
const PaperLabel = "  paper (difference)"

func (t *Table) alignments(n int) []tw.Align {
	align := make([]tw.Align, n)
	for i := range align {
		align[i] = tw.AlignRight
		if i < len(t.Head) {
			align[i] = tw.AlignLeft
		}
	}
	return align
}

func (t *Table) lay(w io.Writer, header []string, rows [][]string, options ...tablewriter.Option) error {
	align := tw.CellAlignment{PerColumn: t.alignments(len(header))}
	tab := tablewriter.NewTable(w, append([]tablewriter.Option{
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithHeaderAlignmentConfig(align), tablewriter.WithRowAlignmentConfig(align),
	}, options...)...)
	tab.Header(header)
	for _, r := range rows {
		if err := tab.Append(r); err != nil {
			return err
		}
	}
	return tab.Render()
}

func writeText(w io.Writer, t *Table, columns int, color bool) error {
	mark, before, after := "*", "", " *"
	if color {
		mark, before, after = "\x1b[1mbold\x1b[0m", "\x1b[1m", "\x1b[0m"
	}
	var foot []string
	bold := func(s string) string {
		foot = []string{mark + " best"}
		return before + s + after
	}
	if _, err := fmt.Fprint(w, Fitted(terminalText(t.Title)+"\n", columns)); err != nil {
		return err
	}
	header, rows := t.grid(bold, PaperLabel, terminalText)
	labels := len(t.Head)
	if t.showsSeeds() {
		labels++
	}
	for _, part := range Narrow(slices.Concat([][]string{header}, rows), labels, columns) {
		if err := t.lay(w, part[0], part[1:]); err != nil {
			return err
		}
	}
	for _, f := range t.Foot {
		foot = append(foot, terminalText(f))
	}
	_, err := fmt.Fprint(w, Fitted(strings.Join(foot, "\n")+"\n", columns))
	return err
}

func writeMarkdown(w io.Writer, t *Table) error {
	if _, err := fmt.Fprintf(w, "### %s\n\n", MarkdownText(t.Title)); err != nil {
		return err
	}
	header, rows := t.grid(func(s string) string { return "**" + s + "**" }, "*paper (difference)*", markdownLabel)
	for i, h := range t.headers() {
		header[i] = MarkdownText(h)
	}
	if err := t.lay(w, header, rows, tablewriter.WithRenderer(renderer.NewMarkdown())); err != nil {
		return err
	}
	for _, f := range t.Foot {
		if _, err := fmt.Fprintf(w, "\n- %s", MarkdownText(f)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}
