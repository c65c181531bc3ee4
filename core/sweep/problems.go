package sweep

import (
	"errors"
	"fmt"
	"strings"

	"macpro/core/names"
)

// problems collects what is wrong with configurations.
type problems struct {
	byText map[string]*problem
	list   []*problem
}

// problem is what is wrong with one configuration or several.
type problem struct {
	text  string
	first []string // the first of the configurations
	more  int      // others with the same problem
}

// note adds a problem, or counts it if it is there already.
func (ps *problems) note(point []string, err error) {
	text := err.Error()
	if p := ps.byText[text]; p != nil {
		p.more++
		return
	}
	if ps.byText == nil {
		ps.byText = map[string]*problem{}
	}
	p := &problem{text: text, first: point}
	ps.byText[text] = p
	ps.list = append(ps.list, p)
}

// err reports the problems together, ten at most; nil if there are none.
func (ps *problems) err() error {
	const most = 10
	if ps.list == nil {
		return nil
	}
	var b strings.Builder
	b.WriteString("the sweep has cells that cannot run:")
	for _, p := range ps.list[:min(most, len(ps.list))] {
		fmt.Fprintf(&b, "\n  %s: %s", names.Brief(strings.Join(p.first, " ")), p.text)
		if p.more > 0 {
			fmt.Fprintf(&b, " (and the same in %d more)", p.more)
		}
	}
	if n := len(ps.list) - most; n > 0 {
		fmt.Fprintf(&b, "\n  and %d problems more", n)
	}
	return errors.New(b.String())
}
