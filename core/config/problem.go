package config

import (
	"fmt"
	"strings"
)

// Origin says where a value came from.
type Origin struct {
	// Layer is the layer's name, such as "profile" or "command line".
	Layer string
	// Source is a file's path, a variable's name or an argument's text.
	Source string
	// Line is the line in the file, from 1; 0 if there is none.
	Line int
}

// String is the source with its line, as in "my.yaml:3".
func (o Origin) String() string {
	if o.Line == 0 {
		return o.Source
	}
	return fmt.Sprintf("%s:%d", o.Source, o.Line)
}

// Problem is one thing that is wrong with a configuration.
type Problem struct {
	At  Origin
	Msg string
}

// String is the problem in one line.
func (p Problem) String() string { return p.At.String() + ": " + p.Msg }

// Error reports everything that is wrong with a configuration.
type Error struct{ Problems []Problem }

// Error lists the problems, one a line.
func (e *Error) Error() string {
	if len(e.Problems) == 1 {
		return e.Problems[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d problems in the configuration:", len(e.Problems))
	for _, p := range e.Problems {
		b.WriteString("\n  " + p.String())
	}
	return b.String()
}

// problems collects what is wrong while loading goes on.
type problems []Problem

func (ps *problems) add(at Origin, format string, args ...any) {
	*ps = append(*ps, Problem{at, fmt.Sprintf(format, args...)})
}

// err is nil if nothing was added.
func (ps problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	return &Error{ps}
}
