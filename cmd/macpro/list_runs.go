package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"macpro/core/metrics"
	"macpro/core/names"
	"macpro/core/record"
	"macpro/core/report/format"
	"macpro/core/report/read"
)

type listedRun struct {
	ID      string            `json:"id"`
	Name    string            `json:"name,omitempty"`
	Dir     string            `json:"dir"`
	Alg     string            `json:"alg"`
	Env     string            `json:"env"`
	Learner string            `json:"learner"`
	Seed    int64             `json:"seed"`
	Differs map[string]string `json:"differs"`           // keys that are not at their default
	Status  string            `json:"status"`            // record.Status, or damaged
	Damage  string            `json:"damage,omitempty"`  // what is wrong with a damaged run
	Percent int               `json:"percent,omitempty"` // of the budget, of a run that is not done
	Score   *metrics.Number   `json:"score"`             // nil before the first test
	Seconds float64           `json:"seconds"`           // of training
	Alarm   string            `json:"alarm,omitempty"`   // how far Q_tot left the returns
}

// listRuns prints the recorded runs, the oldest first.
func listRuns(cmd *cobra.Command, f sourceFlags, asJSON bool) error {
	set, err := f.load(cmd.ErrOrStderr(), nil)
	if err != nil {
		return err
	}
	known := usual{}
	runs := []listedRun{}
	for _, s := range set.Runs {
		if f.env == "" || f.env == s.Env {
			runs = append(runs, listed(s, known))
		}
	}
	if len(f.where) == 0 && f.env == "" { // of a damaged run nothing is known that a condition could ask for
		for _, b := range set.Broken {
			runs = append(runs, damagedRun(b))
		}
	}
	slices.SortStableFunc(runs, func(a, b listedRun) int { return cmp.Compare(a.age(), b.age()) })
	if asJSON {
		return printJSON(cmd.OutOrStdout(), runs)
	}
	if len(runs) == 0 {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "no runs in %s\n", names.Plain(f.out))
		return err
	}
	w := cmd.OutOrStdout()
	return fit(w, names.PlainLines(runsText(runs, listWidth(columnsOf(w)))))
}

// age sorts by the time in the id, then by the id.
func (r listedRun) age() string {
	parts := strings.Split(r.ID, "-")
	return parts[max(0, len(parts)-2)] + r.ID
}

// usualChoices are the overlays of a run that says nothing else.
var usualChoices = map[string]string{"profile": "reduced", "compat": "default", "ablation": "none"}

func listed(s *read.Summary, known usual) listedRun {
	r := listedRun{
		ID: s.ID, Name: s.Name, Dir: s.Dir, Alg: s.Alg, Env: s.Env, Learner: s.Learner, Seed: s.Seed,
		Status: string(s.Status), Seconds: s.WallS, Differs: map[string]string{}, Alarm: s.Inflation(),
	}
	for _, key := range s.Overridden {
		r.Differs[key] = s.Settings[key]
	}
	for key, usual := range usualChoices {
		if v := s.Settings[key]; v != usual && v != "" {
			r.Differs[key] = v
		}
	}
	if of := known.of(s); of != nil {
		for _, key := range []string{"tasks", "sequence", "sequence_repeat", "sequence_shuffle", "sequence_seed"} {
			if v, has := s.Settings[key]; has && v != of[key] {
				r.Differs[key] = v
			}
		}
	}
	if s.Status != record.Done && s.Total > 0 {
		r.Percent = int(min(100*s.TEnv/s.Total, 100)) // the last episode may go beyond it
	}
	score := metrics.Number(s.Average(s.Own(), s.TEnv))
	if m, ok := s.Metrics[s.Own()]; ok {
		score = m.FinalAverage
	}
	if score == score { // it is a number
		r.Score = &score
	}
	return r
}

func damagedRun(b read.Broken) listedRun {
	m := b.Manifest
	return listedRun{ID: m.ID, Name: m.Name, Dir: b.Dir, Alg: m.Alg, Env: m.Env, Learner: m.Learner, Seed: m.Seed,
		Status: "damaged", Damage: b.Err.Error(), Differs: map[string]string{}}
}

// listWidth is the width that text is wrapped at on a terminal of so many columns.
func listWidth(columns int) int {
	if columns == 0 {
		return 80
	}
	return min(columns, 80)
}

// runsText has two lines a run, wrapped at a width: what came out, and what the run is.
func runsText(runs []listedRun, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-48s %-16s %5s %8s\n", "run", "status", "score", "time")
	for _, r := range runs {
		status, value, took := r.Status, "-", durationText(r.Seconds)
		if r.Percent > 0 {
			status += fmt.Sprintf(" %d%%", r.Percent)
		}
		if r.Score != nil {
			value = score(float64(*r.Score))
		}
		if r.Seconds == 0 {
			took = "-"
		}
		fmt.Fprintf(&b, "%-48s %-16s %5s %8s\n", r.ID, status, value, took)
		words := []string{r.Alg + " on " + r.Env + " with " + r.Learner, fmt.Sprintf("seed %d", r.Seed)}
		if r.Name != "" {
			words = append([]string{"name " + r.Name}, words...)
		}
		for _, key := range slices.Sorted(maps.Keys(r.Differs)) {
			words = append(words, key+"="+names.Brief(r.Differs[key]))
		}
		for i := range len(words) - 1 {
			words[i] += ","
		}
		b.WriteString(wrapped("    ", words, width))
		if r.Alarm != "" {
			b.WriteString(wrapped("    ", append([]string{"alarm:"}, strings.Fields(r.Alarm)...), width))
		}
		if r.Damage != "" {
			b.WriteString("    left out of tables: see the warning\n")
		}
	}
	b.WriteString("\n" + wrapped("", strings.Fields("score is the mean over tasks in the method's own test mode, from 0 to 1: of all "+
		"tasks for a run that is done (its final average), else of those it has begun."), width))
	return b.String()
}

// wrapped puts words side by side into indented lines.
func wrapped(indent string, words []string, width int) string {
	return strings.Join(format.Fold(indent, indent, words, width), "\n") + "\n"
}
