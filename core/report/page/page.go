// Package page writes one HTML page about runs that needs nothing else.
package page

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/report/draw"
	"macpro/core/report/format"
	"macpro/core/report/read"
	"macpro/core/report/tables"
)

//go:embed assets/page.html
var pageSource string

//go:embed assets/echarts.min.js
var echarts string

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

// Page says what the HTML page shows.
type Page struct {
	Title   string
	Version string // of macpro
	Set     *read.Set
	Options tables.Options
	// Dir is the folder that the page will lie in; links to the runs' files are
	// relative to it. "" leaves them out.
	Dir string
	// Live pages ask for themselves again.
	Live bool
}

// Write writes one HTML file with everything in it: no request leaves it.
// Tables and figures that cannot be made of the runs are left out, or named
// with the reason if runs would be mixed that must not be.
func Write(w io.Writer, p Page) error {
	v := view{Page: p, Counts: p.counts(), ECharts: template.JS(echarts), Charts: map[string]any{}}
	lib := p.Options.Library
	for _, kind := range lib.Kinds() {
		made, err := tables.Build(kind, p.Set, p.Options)
		if err := v.refuse("table "+kind, err); err != nil {
			return err
		}
		for _, t := range made {
			v.Tables = append(v.Tables, tableOf(t))
		}
	}
	for _, kind := range lib.FigureKinds() {
		drawn, err := tables.Draw(kind, p.Set, p.Options)
		if err := v.refuse("figure "+kind, err); err != nil {
			return err
		}
		for _, f := range drawn {
			v.figure(f)
		}
	}
	if f := tables.ProgressFigure(lib, p.Set.Runs); len(f.Panels) > 0 {
		v.figure(f)
	}
	for _, s := range p.Set.Runs {
		v.Choices = append(v.Choices, choicesOf(s)...)
		v.Runs = append(v.Runs, p.run(s))
	}
	v.Warnings = p.Set.Warnings
	options, err := json.Marshal(v.Charts)
	if err != nil {
		return err
	}
	v.Options = template.JS(options)
	return pageTemplate.Execute(w, &v)
}

// view is what the template sees.
type view struct {
	Page
	Counts   string
	Tables   []tableView
	Refused  []string
	Figures  []figureView
	Choices  []choiceView
	Runs     []runView
	Warnings []string
	ECharts  template.JS
	Charts   map[string]any // options by the id of their element
	Options  template.JS    // the same as JSON
}

type tableView struct {
	Title         string
	Head, Columns []string
	Rows          []rowView
	Foot          string
}

type rowView struct {
	Paper  bool
	Labels []string
	Cells  []cellView
}

type cellView struct{ Text, Class string }

type figureView struct {
	Title, Foot string
	Charts      []string
}

type choiceView struct {
	Title     string
	Open      bool
	Heads     []int
	Rows      []choiceRow
	Columns   []string // of the groups of decisions
	Decisions []decisionView
}

type choiceRow struct {
	Task  string
	Cells []choiceCell
}

type choiceCell struct {
	Count int
	Share string
	Own   bool
}

type runView struct {
	ID, Progress, Average, Settings string
	Status                          record.Status
	Percent                         int
	Seed                            int64
	Files                           []fileView
}

type fileView struct{ Name, Href string }

// refuse notes runs that must not be mixed; that there are none is no news.
func (v *view) refuse(what string, err error) error {
	var unlike *tables.UnlikeError
	var none *tables.NoRunsError
	switch {
	case errors.As(err, &unlike):
		v.Refused = append(v.Refused, what+": "+err.Error())
	case err != nil && !errors.As(err, &none):
		return err
	}
	return nil
}

func (v *view) figure(f *draw.Figure) {
	fv := figureView{Title: f.Title, Foot: strings.Join(f.Foot, "; ")}
	for _, p := range f.Panels {
		id := fmt.Sprintf("chart%d", len(v.Charts))
		v.Charts[id] = p.Option()
		fv.Charts = append(fv.Charts, id)
	}
	v.Figures = append(v.Figures, fv)
}

func tableOf(t *format.Table) tableView {
	const best = "\x01"
	header, rows := t.Grid(func(s string) string { return best + s })
	n := len(t.Head)
	v := tableView{Title: t.Title, Head: header[:n], Columns: header[n:], Foot: "\n" + strings.Join(t.Foot, "\n")}
	for _, r := range rows {
		rv := rowView{Labels: r[:n], Paper: r[n-1] == format.PaperLabel}
		for _, text := range r[n:] {
			c := cellView{Text: text}
			if c.Text, c.Class = strings.TrimPrefix(text, best), ""; c.Text != text {
				c.Class = "best"
			} else if text == "missing" {
				c.Class = "missing"
			}
			rv.Cells = append(rv.Cells, c)
		}
		v.Rows = append(v.Rows, rv)
	}
	return v
}

// choicesOf is the matrix of heads and the expansion decisions of a run.
func choicesOf(s *read.Summary) []choiceView {
	choices := s.Choices[s.Own()]
	width := 0
	for _, c := range choices {
		width = max(width, len(c))
	}
	if width == 0 {
		return nil
	}
	v := choiceView{Title: fmt.Sprintf("%s, mode %s", s.ID, s.Own()), Open: s.Seed == 1}
	for h := range width {
		v.Heads = append(v.Heads, h)
	}
	labels := record.Labels(s.Tasks)
	for i, c := range choices {
		row := choiceRow{Task: labels[i]}
		total := 0
		for _, n := range c {
			total += n
		}
		for h := range width {
			n := 0
			if h < len(c) {
				n = c[h]
			}
			own := i < len(s.TaskHeads) && s.TaskHeads[i] == h
			row.Cells = append(row.Cells, choiceCell{n, fmt.Sprintf("%.2f", 0.7*float64(n)/float64(max(total, 1))), own})
		}
		v.Rows = append(v.Rows, row)
	}
	v.Columns, v.Decisions = decisionsOf(s.Expansions)
	return []choiceView{v}
}

// run is a line of the list of runs.
func (p Page) run(s *read.Summary) runView {
	v := runView{ID: s.ID, Status: s.Status, Seed: s.Seed, Progress: fmt.Sprintf("%s of %s", draw.Steps(float64(s.TEnv)), draw.Steps(float64(s.Total)))}
	v.Percent = int(100 * min(1, float64(s.TEnv)/float64(max(s.Total, 1))))
	v.Average = "-"
	if a := s.Average(s.Own(), s.TEnv); !math.IsNaN(a) {
		v.Average = fmt.Sprintf("%.2f", metrics.Number(a))
	}
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

// counts says how many runs are in each state.
func (p Page) counts() string {
	n := map[record.Status]int{}
	for _, s := range p.Set.Runs {
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
