package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"macpro/core/report/read"
)

type decisionView struct {
	T              int64
	Task, Decision string
	Head           int
	Facts          string // numbers of the decision, by name
	Groups         []groupView
}

// groupView is what a method says of a new task and a group of old tasks, by
// column.
type groupView struct {
	Head    string
	Values  []string
	Nearest bool
}

// The details of a decision that the page knows: the heads of the candidate groups
// and the nearest head. Other lists have a number a group.
const candidatesDetail, nearestDetail = "candidates", "nearest"

// decisionsOf reads the details of decisions and names the columns of groups.
func decisionsOf(expansions []read.Expansion) (columns []string, views []decisionView) {
	for _, e := range expansions {
		for key, v := range e.Details {
			if l := list(v); key != candidatesDetail && len(l) > 0 && numberText(l[0]) != "-" {
				columns = append(columns, key)
			}
		}
	}
	slices.Sort(columns)
	columns = slices.Compact(columns)
	for _, e := range expansions {
		views = append(views, decisionOf(e, columns))
	}
	return columns, views
}

// decisionOf is one of them; what a method does not tell is "-".
func decisionOf(e read.Expansion, columns []string) decisionView {
	v := decisionView{T: e.T, Task: e.Task, Decision: e.Decision, Head: e.Head}
	var facts []string
	for _, key := range slices.Sorted(maps.Keys(e.Details)) {
		if x := numberText(e.Details[key]); x != "-" && !slices.Contains([]string{"index", "head", "heads", nearestDetail}, key) {
			facts = append(facts, key+" "+x)
		}
	}
	v.Facts = strings.Join(facts, ", ")
	for i, head := range list(e.Details[candidatesDetail]) {
		g := groupView{Head: numberText(head), Nearest: numberText(head) == numberText(e.Details[nearestDetail])}
		for _, key := range columns {
			text := "-"
			if x := list(e.Details[key]); i < len(x) {
				text = numberText(x[i])
			}
			g.Values = append(g.Values, text)
		}
		v.Groups = append(v.Groups, g)
	}
	return v
}

// numberText prints a number of a journal with three digits.
func numberText(v any) string {
	x, ok := v.(float64)
	switch {
	case !ok:
		return "-"
	case x >= 1000:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}
