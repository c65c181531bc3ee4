package sweep

import (
	"errors"
	"fmt"
	"strings"
)

// problem is what is wrong with one configuration or several.
type problem struct {
	text  string
	first []string // the first of the configurations
	more  int      // others with the same problem
}

// note adds a problem, or counts it if it is there already.
func note(problems []problem, point []string, err error) []problem {
	for i := range problems {
		if problems[i].text == err.Error() {
			problems[i].more++
			return problems
		}
	}
	return append(problems, problem{text: err.Error(), first: point})
}

// told reports the problems together, ten at most.
func told(problems []problem) error {
	const most = 10
	var b strings.Builder
	b.WriteString("the sweep has cells that cannot run:")
	for _, p := range problems[:min(most, len(problems))] {
		fmt.Fprintf(&b, "\n  %s: %s", strings.Join(p.first, " "), p.text)
		if p.more > 0 {
			fmt.Fprintf(&b, " (and the same in %d more)", p.more)
		}
	}
	if n := len(problems) - most; n > 0 {
		fmt.Fprintf(&b, "\n  and %d problems more", n)
	}
	return errors.New(b.String())
}
