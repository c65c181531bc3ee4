package sweep

import (
	"errors"
	"fmt"
	"strings"

	"macpro/core/names"
)

// problems collects what is wrong with configurations.
type problems struct {
	texts  []string              // each once, in their order
	points map[string][][]string // the configurations with each of them
}

// note adds a problem of a configuration.
func (ps *problems) note(point []string, err error) {
	text := err.Error()
	if ps.points == nil {
		ps.points = map[string][][]string{}
	}
	if ps.points[text] == nil {
		ps.texts = append(ps.texts, text)
	}
	ps.points[text] = append(ps.points[text], point)
}

// err reports the problems together, ten at most; nil if there are none.
func (ps *problems) err() error {
	const most = 10
	if ps.texts == nil {
		return nil
	}
	var b strings.Builder
	b.WriteString("the sweep has cells that cannot run:")
	for _, text := range ps.texts[:min(most, len(ps.texts))] {
		points := ps.points[text]
		fmt.Fprintf(&b, "\n  %s: %s", names.Brief(strings.Join(points[0], " ")), text)
		if more := len(points) - 1; more > 0 {
			fmt.Fprintf(&b, " (and the same in %d more)", more)
		}
	}
	if n := len(ps.texts) - most; n > 0 {
		fmt.Fprintf(&b, "\n  and %d problems more", n)
	}
	return errors.New(b.String())
}
