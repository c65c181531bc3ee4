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

// String is the problem in one line; what is overlong is cut.
func (p Problem) String() string {
	return shortened(p.At.String(), 200) + ": " + shortened(p.Msg, 2000)
}

func shortened(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// Error reports what is wrong with a configuration.
type Error struct {
	Problems []Problem // the first maxProblems
	More     int       // how many there are besides
}

// Error lists the problems, one a line.
func (e *Error) Error() string {
	if len(e.Problems) == 1 {
		return e.Problems[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d problems in the configuration:", len(e.Problems)+e.More)
	for _, p := range e.Problems {
		b.WriteString("\n  " + p.String())
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\n  and %d more", e.More)
	}
	return b.String()
}

// maxProblems is how many problems are told; the others are counted.
const maxProblems = 20

// problems collects what is wrong while loading goes on.
type problems struct {
	list []Problem
	more int
}

func (ps *problems) add(at Origin, format string, args ...any) {
	if ps.full() {
		ps.more++
		return
	}
	ps.list = append(ps.list, Problem{at, fmt.Sprintf(format, args...)})
}

// full says that further problems are only counted, so that there is no need to
// find out more about them.
func (ps *problems) full() bool { return len(ps.list) >= maxProblems }

func (ps *problems) none() bool { return len(ps.list) == 0 }

// err is nil if nothing was added.
func (ps *problems) err() error {
	if ps.none() {
		return nil
	}
	return &Error{ps.list, ps.more}
}
