package report

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
)

//go:embed page/page.html
var pageSource string

//go:embed page/echarts.min.js
var echarts string

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

// Page says what the HTML page shows.
type Page struct {
	Title   string
	Version string // of macpro
	Set     *Set
	Options Options
	// Dir is the folder that the page will lie in; links to the runs' files are
	// relative to it. "" leaves them out.
	Dir string
	// Live pages ask for themselves again.
	Live bool
}

// WritePage writes one HTML file with everything in it: no request leaves it.
// Tables and figures that cannot be made of the runs are left out, or named
// with the reason if runs would be mixed that must not be.
func WritePage(w io.Writer, p Page) error {
	v := view{Page: p, Counts: p.counts(), ECharts: template.JS(echarts), Charts: map[string]any{}}
	for _, kind := range TableKinds() {
		tables, err := Build(kind, p.Set, p.Options)
		if err := v.refuse("table "+kind, err); err != nil {
			return err
		}
		for _, t := range tables {
			v.Tables = append(v.Tables, tableOf(t))
		}
	}
	for _, kind := range FigureKinds() {
		drawn, err := Draw(kind, p.Set, p.Options)
		if err := v.refuse("figure "+kind, err); err != nil {
			return err
		}
		for _, f := range drawn {
			v.figure(f)
		}
	}
	if f := progressFigure(p.Set.Runs); len(f.Panels) > 0 {
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
	var unlike *UnlikeError
	var none *NoRunsError
	switch {
	case errors.As(err, &unlike):
		v.Refused = append(v.Refused, what+": "+err.Error())
	case err != nil && !errors.As(err, &none):
		return err
	}
	return nil
}

func (v *view) figure(f *Figure) {
	fv := figureView{Title: f.Title, Foot: strings.Join(f.Foot, "; ")}
	for _, p := range f.Panels {
		id := fmt.Sprintf("chart%d", len(v.Charts))
		v.Charts[id] = p.option()
		fv.Charts = append(fv.Charts, id)
	}
	v.Figures = append(v.Figures, fv)
}

func tableOf(t *Table) tableView {
	const best = "\x01"
	header, rows := t.grid(func(s string) string { return best + s }, paperLabel, terminalText)
	n := len(t.Head)
	v := tableView{Title: t.Title, Head: header[:n], Columns: header[n:], Foot: "\n" + strings.Join(t.Foot, "\n")}
	for _, r := range rows {
		rv := rowView{Labels: r[:n], Paper: r[n-1] == paperLabel}
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

// progressFigure draws A(t) of every single run, finished or not.
func progressFigure(runs []*Summary) *Figure {
	f := &Figure{Title: "Every run: average over the tasks seen so far"}
	for _, env := range envs(runs) {
		p := Panel{Title: EnvLabel(env), X: "training steps", Y: "average score", High: 1}
		for _, s := range runs {
			if s.Env != env || s.TEnv == 0 {
				continue
			}
			l := Line{Label: s.ID, Color: colorOf(s.Alg)}
			for k := range curvePoints + 1 {
				t := s.TEnv * int64(k) / curvePoints
				if y := s.Average(s.Own(), t); !math.IsNaN(y) {
					l.X, l.Y = append(l.X, float64(t)), append(l.Y, y)
				}
			}
			if len(l.X) > 0 {
				p.Lines = append(p.Lines, l)
			}
		}
		if !p.empty() {
			f.Panels = append(f.Panels, p)
		}
	}
	return f
}

// choicesOf is the matrix of heads and the expansion decisions of a run.
func choicesOf(s *Summary) []choiceView {
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
	for _, e := range s.Expansions {
		v.Decisions = append(v.Decisions, decisionOf(e))
	}
	return []choiceView{v}
}

// run is a line of the list of runs.
func (p Page) run(s *Summary) runView {
	v := runView{ID: s.ID, Status: s.Status, Seed: s.Seed, Progress: fmt.Sprintf("%s of %s", steps(float64(s.TEnv)), steps(float64(s.Total)))}
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
	for _, st := range []record.Status{record.Done, record.Running, record.Interrupted, record.Failed, record.Unknown} {
		if n[st] > 0 {
			out = append(out, fmt.Sprintf("%d %s", n[st], st))
		}
	}
	if out == nil {
		return "none yet"
	}
	return strings.Join(out, ", ")
}
