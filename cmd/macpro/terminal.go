package main

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mattn/go-isatty"
	"golang.org/x/sys/unix"

	"macpro/core/report/format"
)

// A terminal that does not say its size gets this one.
const (
	usualColumns = 80
	usualRows    = 24
)

func terminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

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

// typedBytes is the length of the lines that were typed and that nobody has read.
func typedBytes(f *os.File) int {
	n, err := unix.IoctlGetInt(int(f.Fd()), waitingInput)
	if err != nil {
		return 0
	}
	return n
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
	_, err := io.WriteString(w, format.Fitted(text, columnsOf(w)))
	return err
}

// columns aligns cells that tabs end, and breaks what is too wide for a terminal when it
// is flushed.
type columns struct {
	*tabwriter.Writer
	text *strings.Builder
	to   io.Writer
}

func newColumns(w io.Writer) *columns {
	c := &columns{text: &strings.Builder{}, to: w}
	c.Writer = tabwriter.NewWriter(c.text, 0, 0, 2, ' ', 0)
	return c
}

// Flush writes everything. Empty cells at the end of a line leave no blanks.
func (c *columns) Flush() error {
	err := c.Writer.Flush()
	var b strings.Builder
	for line := range strings.Lines(c.text.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return errors.Join(err, fit(c.to, b.String()))
}

// hint puts a command behind a text, on a terminal in a line of its own.
func hint(w any, text, command string) string {
	if terminal(w) {
		return text + ":\n  " + command + "\n"
	}
	return text + ": " + command + "\n"
}
