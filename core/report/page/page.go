// Package page writes one HTML page about runs that needs nothing else.
package page

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"macpro/core/names"
	"macpro/core/record"
	"macpro/core/report/alike"
	"macpro/core/report/draw"
	"macpro/core/report/format"
	"macpro/core/report/read"
	"macpro/core/report/tables"
)

//go:embed assets/page.html
var pageSource string

//go:embed assets/page.js
var script string

//go:embed assets/echarts.min.js
var echarts string

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

// Page says what the HTML page shows.
type Page struct {
	Title   string
	Version string // of macpro
	Set     *read.Set
	Cells   []Cell // of sweeps, that no run has begun
	Options tables.Options
	// Dir is the folder that the page will lie in; links to the runs' files are
	// relative to it. "" leaves them out.
	Dir string
	// Live pages renew themselves without being loaded again.
	Live bool
}

// Write writes one HTML file with everything in it: no request leaves it.
// Tables and figures that cannot be made of the runs are left out, or named
// with the reason if runs would be mixed that must not be.
func Write(w io.Writer, p Page) error {
	v := view{Page: p, Count: names.Many(len(p.Set.Runs), "run"), Counts: counts(p.Set.Runs), Unstarted: unstarted(p.Cells), ECharts: template.JS(echarts), Script: template.JS(script), Charts: map[string]any{}}
	lib := p.Options.Library
	for _, kind := range lib.Kinds() {
		made, err := tables.Build(kind, p.Set, p.Options)
		if err := v.refuse("table "+kind, err); err != nil {
			return err
		}
		for _, t := range made {
			if leaveOut(t); len(t.Rows) > 0 {
				v.Tables = append(v.Tables, tableOf(t))
			}
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
	called := alike.Names(lib, p.Set.Runs)
	if f := tables.ProgressFigure(lib, p.Set.Runs, called); len(f.Panels) > 0 {
		v.figure(f)
	}
	v.Summary = p.summary(called)
	byLabel := slices.Clone(p.Set.Runs)
	slices.SortStableFunc(byLabel, func(a, b *read.Summary) int {
		return cmp.Or(cmp.Compare(called[a].Label, called[b].Label), cmp.Compare(a.Seed, b.Seed))
	})
	for _, s := range byLabel {
		v.Choices = append(v.Choices, choicesOf(s, called[s].Text())...)
		v.Runs = append(v.Runs, p.run(s, called[s].Text()))
		v.Going = v.Going || s.Status == record.Running
	}
	v.Waiting, v.More = p.waiting()
	v.Warnings = p.Set.Warnings
	options, err := json.Marshal(v.Charts)
	if err != nil {
		return err
	}
	v.Options = template.JS(options)
	return pageTemplate.Execute(w, &v)
}

type view struct {
	Page
	Count     string // of the runs
	Counts    string // of those in each state
	Unstarted string // number of the cells without a run
	Waiting   []runView
	More      int // cells without a line
	Summary   []lineView
	Going     bool // some run goes on
	Tables    []tableView
	Refused   []string
	Figures   []figureView
	Choices   []choiceView
	Runs      []runView
	Warnings  []string
	ECharts   template.JS
	Script    template.JS
	Charts    map[string]any // options by the id of their element
	Options   template.JS    // the same as JSON
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

// refuse notes runs that must not be mixed; that there are none is no news.
func (v *view) refuse(what string, err error) error {
	var unlike *alike.Error
	var none *read.NoRunsError
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
		v.Charts[id] = p.Ran().Option()
		fv.Charts = append(fv.Charts, id)
	}
	v.Figures = append(v.Figures, fv)
}

// leaveOut removes the rows that were not run, and what the foot says of them.
func leaveOut(t *format.Table) {
	for _, r := range t.Rows {
		if notRun(r) {
			t.Foot = slices.DeleteFunc(t.Foot, func(line string) bool { return slices.Contains(t.Sources(r), line) })
		}
	}
	t.Rows = slices.DeleteFunc(t.Rows, notRun)
}

// notRun says that no run stands behind a row.
func notRun(r format.Row) bool {
	return len(r.Lost) == 0 && !slices.ContainsFunc(r.Cells, func(c format.Cell) bool { return !c.Missing() })
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
func choicesOf(s *read.Summary, label string) []choiceView {
	choices := s.Choices[s.Own()]
	width := 0
	for _, c := range choices {
		width = max(width, len(c))
	}
	if width == 0 {
		return nil
	}
	v := choiceView{Title: fmt.Sprintf("%s, mode %s (%s)", label, s.Own(), s.ID)}
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
