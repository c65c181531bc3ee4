package claims

import (
	"fmt"
	"slices"
	"strings"

	"macpro/core/names"
)

// Table is a row for each claim and a column for each environment: the verdict
// with a link to the page about the runs, the number of seeds and the budget. Paths of pages are
// relative to dir, as in "results/".
func (s *Spec) Table(all []Finding, dir string) string {
	var b strings.Builder
	b.WriteString("| claim of the paper |")
	for _, e := range s.Envs {
		fmt.Fprintf(&b, " %s |", e.Label)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(s.Envs)) + "\n")
	for _, c := range s.Claims {
		fmt.Fprintf(&b, "| %s %s |", c.ID, c.Text)
		for _, e := range s.Envs {
			fmt.Fprintf(&b, " %s |", cell(pick(all, c.ID, e.Key), dir))
		}
		b.WriteString("\n")
	}
	if strings.Contains(b.String(), weak) {
		b.WriteString("\n" + weak + " Student's t interval of the same differences leaves it open. More seeds are needed.\n")
	}
	return b.String()
}

// weak marks a verdict that Student's t interval does not give.
const weak = "†"

func mark(v, strict Verdict) string {
	if v == strict {
		return string(v)
	}
	return string(v) + weak
}

// pick chooses the findings of a claim on an environment.
func pick(all []Finding, claim, env string) []Finding {
	var out []Finding
	for _, f := range all {
		if f.Claim == claim && f.Env == env {
			out = append(out, f)
		}
	}
	return out
}

func cell(findings []Finding, dir string) string {
	if len(findings) == 0 {
		return "–"
	}
	v := Sum(findings)
	if v == None {
		return string(v)
	}
	strict := sum(findings, func(f Finding) Verdict { return f.Strict })
	return fmt.Sprintf("[%s](%s%s), %s, %s", mark(v, strict), dir, findings[0].Page, seedsOf(findings), findings[0].Budget)
}

// seedsOf is the number of seeds behind findings, as a range if they differ.
func seedsOf(findings []Finding) string {
	lo, hi := len(findings[0].Seeds), 0
	for _, f := range findings {
		lo, hi = min(lo, len(f.Seeds)), max(hi, len(f.Seeds))
	}
	if lo < hi {
		return fmt.Sprintf("%d to %d seeds", lo, hi)
	}
	return names.Many(hi, "seed")
}

// Details is a row for each finding, with its numbers.
func (s *Spec) Details(all []Finding) string {
	var b strings.Builder
	b.WriteString("| claim | on | check | measure | left | right | difference | seeds | verdict | runs |\n")
	b.WriteString("|---|---|---|---|---:|---:|---|---|---|---|\n")
	for _, f := range all {
		e := s.Envs[slices.IndexFunc(s.Envs, func(e Env) bool { return e.Key == f.Env })]
		fmt.Fprintf(&b, "| %s | %s | %s %s | %s |", f.Claim, e.Label, s.Sides[f.Check.Left].Label, f.relation(), f.Check.Measure)
		if f.Verdict == None {
			fmt.Fprintf(&b, " | | | | %s | |\n", f.Verdict)
			continue
		}
		fmt.Fprintf(&b, " %.2f | %.2f | %s | %s | %s | [%s](%s) |\n", f.Left, f.Other, f.difference(), list(f.Seeds), mark(f.Verdict, f.Strict), f.From, f.Page)
	}
	return b.String()
}

// difference is the mean difference, with its interval if there are several seeds.
func (f *Finding) difference() string {
	text := fmt.Sprintf("%+.2f", f.Left-f.Other)
	if len(f.Seeds) > 1 {
		text += fmt.Sprintf(" [%+.2f, %+.2f]", float64(f.Difference.Low), float64(f.Difference.High))
	}
	return text
}

// relation words what is claimed about the right side.
func (f *Finding) relation() string {
	switch by := f.Check.By; {
	case f.Check.Is == "near":
		return fmt.Sprintf("within %.2g of %s", by, f.Right)
	case by == 0:
		return f.Check.Is + " " + f.Right
	case by < 0:
		worse := map[string]string{"above": "below", "below": "above"}[f.Check.Is]
		return fmt.Sprintf("at most %.2g %s %s", -by, worse, f.Right)
	default:
		return fmt.Sprintf("%s %s by %.2g", f.Check.Is, f.Right, by)
	}
}

func list(seeds []int64) string {
	var words []string
	for _, s := range seeds {
		words = append(words, fmt.Sprint(s))
	}
	return strings.Join(words, ", ")
}
