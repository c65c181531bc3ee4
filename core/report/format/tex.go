package format

import (
	"fmt"
	"io"
	"strings"
)

// writeTeX writes a table environment in LaTeX; the document needs the package
// booktabs and graphicx and nothing else. A table that is wider than the line is
// made smaller.
func writeTeX(w io.Writer, t *Table) error {
	var b strings.Builder
	header, rows := t.grid(func(s string) string { return boldMark + s }, paperMark, terminalText)
	align := strings.Repeat("l", len(t.Head)) + strings.Repeat("r", len(header)-len(t.Head))
	fmt.Fprintf(&b, "\\begin{table}\n\\centering\n\\caption{%s}\n%s\n\\begin{tabular}{%s}\n\\toprule\n", texText(t.Title), texFit, align)
	texRow(&b, header)
	b.WriteString("\\midrule\n")
	for _, r := range rows {
		texRow(&b, r)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}}\n")
	for _, f := range t.Foot {
		fmt.Fprintf(&b, "%% %s\n", terminalText(f))
	}
	b.WriteString("\\end{table}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// texFit begins a box that is as wide as its content, but no wider than the line.
const texFit = `\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%`

// Marks that cells carry until they have been escaped.
const (
	boldMark  = "\x01"
	paperMark = "\x02"
)

func texRow(b *strings.Builder, cells []string) {
	for i, c := range cells {
		if i > 0 {
			b.WriteString(" & ")
		}
		if i == 0 && strings.HasPrefix(c, "[") {
			b.WriteString("{}") // not an argument of the row's end before it
		}
		switch text, bold := strings.CutPrefix(c, boldMark); {
		case c == paperMark:
			b.WriteString(`\quad paper (difference)`)
		case bold:
			b.WriteString(`\textbf{` + texText(text) + "}")
		default:
			b.WriteString(texText(c))
		}
	}
	b.WriteString(" \\\\\n")
}
