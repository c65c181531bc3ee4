package main

import (
	"io"
	"os"
	"slices"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"golang.org/x/sys/unix"
)

// A terminal that does not say its size gets this one.
const (
	usualColumns = 80
	usualRows    = 24
)

// terminal says whether a writer is a terminal.
func terminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// sizeOf is the size of a terminal.
func sizeOf(f *os.File) (columns, rows int) {
	columns, rows = usualColumns, usualRows
	if size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil {
		if size.Col > 0 {
			columns = int(size.Col)
		}
		if size.Row > 0 {
			rows = int(size.Row)
		}
	}
	return columns, rows
}

// columnsOf is the width of the terminal that a writer is, 0 if it is none: what goes
// to a file or a pipe has lines of any length.
func columnsOf(w any) int {
	if !terminal(w) {
		return 0
	}
	columns, _ := sizeOf(w.(*os.File))
	return columns
}

// dumb says whether the terminal understands nothing but text.
func dumb() bool { return slices.Contains([]string{"", "dumb"}, os.Getenv("TERM")) }

// coloured says whether a writer is a terminal that shall show colours.
func coloured(w any) bool { return terminal(w) && !dumb() && os.Getenv("NO_COLOR") == "" }

// fit writes a text of several lines, on a terminal with lines that it can show.
func fit(w io.Writer, text string) error {
	_, err := io.WriteString(w, fitted(text, columnsOf(w)))
	return err
}

// fitted breaks lines of a text between words where they are longer than the columns.
// What follows stands below the first word behind two blanks, which ends a label, or is
// indented. Commands to be pasted and words that are too long stay whole. Without
// columns, all lines do.
func fitted(text string, columns int) string {
	if columns == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		if twwidth.Width(line) > columns && !isCommand(line) {
			first, other := hanging(line, columns)
			line = strings.Join(fold(first, other, strings.Fields(line[len(first):]), columns), "\n")
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
	lead := line[:len(line)-len(strings.TrimLeft(line, " "))]
	if i := strings.Index(line[len(lead):], "  "); i > 0 {
		rest := line[len(lead)+i:]
		first = line[:len(line)-len(strings.TrimLeft(rest, " "))]
		if w := twwidth.Width(first); w <= columns/2 {
			return first, strings.Repeat(" ", w)
		}
	}
	return lead, lead + "    "
}

// isCommand says whether a line is one to be pasted into a shell.
func isCommand(line string) bool {
	return strings.HasPrefix(line, " ") && strings.HasPrefix(strings.TrimLeft(line, " "), "macpro ")
}

// fold puts words side by side into lines of at most so many columns. The first line
// begins with one text, the others with another. A word that is too long has a line of
// its own.
func fold(first, other string, words []string, columns int) (lines []string) {
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

// hint puts a command behind a text, on a terminal in a line of its own.
func hint(w any, text, command string) string {
	if terminal(w) {
		return text + ":\n  " + command + "\n"
	}
	return text + ": " + command + "\n"
}
