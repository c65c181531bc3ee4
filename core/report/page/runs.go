package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/report/alike"
	"macpro/core/report/draw"
	"macpro/core/report/read"
)

// lineView is a line of the summary: the runs that differ in nothing but the seed.
type lineView struct{ Label, Runs, Average, Time string }

type runView struct {
	ID, Label, Progress, Average, Settings string
	Alarm                                  string // how far Q_tot left the returns
	Loss, Epsilon, Speed, Left, Duration   string // of a run that goes on, but for the last
	Status                                 record.Status
	Percent                                int
	Files                                  []fileView
}

type fileView struct{ Name, Href string }

// averageOf is A at the last step of a run. Of a finished run this is the mean
// of its final scores.
func averageOf(s *read.Summary) float64 {
	if row := s.FinalRow(s.Own()); row != nil {
		return metrics.Mean(row)
	}
	return s.Average(s.Own(), s.TEnv)
}

// summary has a line for all runs of one label.
func (p Page) summary(called map[*read.Summary]alike.Called) []lineView {
	by := map[string][]*read.Summary{}
	var labels []string
	for _, s := range p.Set.Runs {
		l := called[s].Label
		if by[l] == nil {
			labels = append(labels, l)
		}
		by[l] = append(by[l], s)
	}
	slices.SortStableFunc(labels, func(a, b string) int { return cmp.Compare(by[a][0].Env, by[b][0].Env) })
	var out []lineView
	for _, label := range labels {
		runs := by[label]
		v := lineView{Label: label, Runs: counts(runs), Average: "-"}
		var of []float64
		longest := 0.0
		for _, s := range runs {
			if a := averageOf(s); s.Status == record.Done && !math.IsNaN(a) {
				of = append(of, a)
			}
			longest = max(longest, s.WallS)
		}
		if len(of) > 0 {
			v.Average = fmt.Sprintf("%.2f", metrics.Mean(of))
		}
		if len(of) > 1 {
			v.Average += fmt.Sprintf(" ± %.2f", metrics.Std(of))
		}
		v.Time = duration(longest)
		out = append(out, v)
	}
	return out
}

func (p Page) run(s *read.Summary, label string) runView {
	v := runView{ID: s.ID, Label: label, Status: s.Status, Alarm: s.Inflation(), Progress: fmt.Sprintf("%s of %s", draw.Steps(float64(s.TEnv)), draw.Steps(float64(s.Total)))}
	v.Percent = int(100 * min(1, float64(s.TEnv)/float64(max(s.Total, 1))))
	v.Loss, v.Epsilon, v.Speed, v.Left, v.Duration = "-", "-", "-", "-", duration(s.WallS)
	if s.Status == record.Running {
		v.Epsilon = number(s.Now.Epsilon, "%.2f")
		v.Loss = number(s.Now.Loss, "%.3g")
		if s.Now.Speed > 0 {
			v.Speed = fmt.Sprintf("%.0f steps/s", s.Now.Speed)
			v.Left = duration(float64(max(s.Total-s.TEnv, 0)) / s.Now.Speed)
		}
	}
	v.Average = number(averageOf(s), "%.2f")
	for _, k := range slices.Sorted(maps.Keys(s.Settings)) {
		v.Settings += k + ": " + s.Settings[k] + "\n"
	}
	if p.Dir == "" || s.Dir == "" {
		return v
	}
	for _, name := range []string{"manifest.json", "config.yaml", "journal.jsonl", "log.txt"} {
		if rel, err := filepath.Rel(p.Dir, filepath.Join(s.Dir, name)); err == nil {
			v.Files = append(v.Files, fileView{name, (&url.URL{Path: filepath.ToSlash(rel)}).String()})
		}
	}
	return v
}

func number(x float64, verb string) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf(verb, metrics.Number(x))
}

func duration(s float64) string {
	switch {
	case s == 0:
		return "-"
	case s < 59.5:
		return fmt.Sprintf("%.0f s", s)
	case s < 3600:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}

func counts(runs []*read.Summary) string {
	n := map[record.Status]int{}
	for _, s := range runs {
		n[s.Status]++
	}
	var out []string
	for _, st := range append(record.Statuses(), record.Unknown) {
		if n[st] > 0 {
			out = append(out, fmt.Sprintf("%d %s", n[st], st))
		}
	}
	if out == nil {
		return "none yet"
	}
	return strings.Join(out, ", ")
}
