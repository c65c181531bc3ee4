package page

import (
	"fmt"

	"macpro/core/report/read"
)

// decisionView is an expansion decision on the page.
type decisionView struct {
	T              int64
	Task, Decision string
	Head           int
	Limit          string // lambda_new, the ratio from which on a head is new
	Episodes       string // that were played to find out
	Groups         []groupView
}

// groupView is how far a new task was from a group of old ones.
type groupView struct {
	Head, Distance, Radius, Ratio string
	Nearest                       bool
}

// decisionOf reads the details of a decision; what a method does not tell is "-".
func decisionOf(e read.Expansion) decisionView {
	v := decisionView{T: e.T, Task: e.Task, Decision: e.Decision, Head: e.Head,
		Limit: numberText(e.Details["lambda_new"]), Episodes: numberText(e.Details["identify_episodes"])}
	candidates := list(e.Details["candidates"])
	nearest := numberText(e.Details["nearest"])
	at := func(key string, i int) string {
		if x := list(e.Details[key]); i < len(x) {
			return numberText(x[i])
		}
		return "-"
	}
	for i, head := range candidates {
		v.Groups = append(v.Groups, groupView{
			Head: numberText(head), Distance: at("distance", i), Radius: at("radius", i), Ratio: at("ratio", i),
			Nearest: numberText(head) == nearest,
		})
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
