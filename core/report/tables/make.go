package tables

import (
	"cmp"
	"math"
	"slices"

	"macpro/core/metrics"
	"macpro/core/report/alike"
	"macpro/core/report/format"
	"macpro/core/report/read"
	"macpro/core/report/spec"
)

// table makes one table of a spec; there is none without runs.
func (b *builder) table(kind string, sp *spec.Spec, sc scope) {
	runs := b.accepted(sp.Where, sc)
	if len(runs) == 0 {
		return
	}
	if sc.family != "" {
		sc.Alg, sc.Env, sc.Learner = runs[0].Alg, runs[0].Env, runs[0].Learner
	}
	t := &format.Table{Kind: kind, Title: sc.Labels(sp.Title), Stats: b.o.Stats}
	for _, h := range sp.Head {
		t.Head = append(t.Head, sc.Labels(h))
	}
	b.tables = append(b.tables, t)
	m := maker{b: b, spec: sp, sc: sc, t: t, runs: runs, columns: b.columns(sp, sc, runs)}
	if m.head(); len(m.columns) == 0 {
		return
	}
	m.x.Single = m.alone()
	for _, e := range b.rows(sp, sc, runs) {
		m.row(e)
	}
	if m.filledRows() < sp.Rows.Least || m.filledColumns() < sp.Columns.Least {
		b.tables = b.tables[:len(b.tables)-1]
		return
	}
	if sp.Rows.Of == "configurations" {
		t.Head = alike.Varied(slices.Concat(runs, b.lostOf(sp, sc, runs)))
	}
	if sp.Against != "" {
		b.improvement(t, m.groups, sp.Against)
	}
}

// accepted lists the runs of a table.
func (b *builder) accepted(where spec.Condition, sc scope) []*read.Summary {
	var out []*read.Summary
	for _, s := range b.runs {
		if (sc.Env == "" || s.Env == sc.Env) && (sc.family == "" || alike.Family(s) == sc.family) && where.Accepts(s, sc.Vars) {
			out = append(out, s)
		}
	}
	return out
}

// lostOf lists the diverged runs that belong to a table of these runs, if its rows
// are settings that were tried.
func (b *builder) lostOf(sp *spec.Spec, sc scope, runs []*read.Summary) []*read.Summary {
	if of := sp.Rows.Of; of != "values" && of != "configurations" {
		return nil
	}
	var out []*read.Summary
	for _, s := range b.lost {
		// Which tasks a diverged run would have had is for its settings to say.
		ofFamily := sc.family == "" || alike.Way(s) == alike.Way(runs[0]) && s.Settings["tasks"] == runs[0].Settings["tasks"]
		if (sc.Env == "" || s.Env == sc.Env) && ofFamily && sp.Where.Accepts(s, sc.Vars) {
			out = append(out, s)
		}
	}
	return out
}

type maker struct {
	b       *builder
	spec    *spec.Spec
	sc      scope
	t       *format.Table
	runs    []*read.Summary
	columns []entry
	groups  []group // by row
	x       spec.Context
}

// head adds the columns and the formulas of what they show.
func (m *maker) head() {
	m.columns = slices.DeleteFunc(m.columns, func(c entry) bool { // without runs there is nothing to compare
		return m.spec.Rows.Of == "unseen" && len(m.cellGroup(entry{}, c).runs) == 0 || c.Optional && !m.hasValues(c)
	})
	t := m.t
	var parts bool
	for _, c := range m.columns {
		f, _ := spec.MeasureOf(m.value(c)) // checked when the spec was read
		better := f.Better
		if m.spec.Columns.Neutral || spec.IsStart(c.Part) {
			better = 0
		}
		t.Columns = append(t.Columns, format.Column{Name: c.Label, Better: better})
		if c.Value == "" || len(m.spec.Foot) > 0 {
			continue
		}
		line := c.Label + " = " + f.Formula
		if c.Part != "" {
			line, parts = c.Value+" = "+f.Formula, true
		}
		if !slices.Contains(t.Foot, line) {
			t.Foot = append(t.Foot, line)
		}
	}
	if parts {
		t.Foot = append(t.Foot, spec.PartFormula)
	}
	switch formula := m.formula(); {
	case len(m.spec.Foot) > 0:
		for _, f := range m.spec.Foot {
			t.Foot = append(t.Foot, m.sc.Labels(f))
		}
	case len(t.Foot) == 0 && formula != "":
		t.Foot = append(t.Foot, formula)
	}
}

// hasValues says whether any run of the table has the measure of a column.
func (m *maker) hasValues(c entry) bool {
	f, _ := spec.MeasureOf(m.value(c))
	return slices.ContainsFunc(m.runs, func(s *read.Summary) bool { return len(f.Of(&m.x, s, s.Own())) > 0 })
}

// formula is that of the measure of columns that name none.
func (m *maker) formula() string {
	f, _ := spec.MeasureOf(m.spec.Value)
	return f.Formula
}

// value is the name of the measure of a column.
func (m *maker) value(c entry) string { return cmp.Or(c.Value, m.spec.Value) }

// alone maps tasks to the area under the curve of runs of that task alone, mean
// over seeds. Runs of one task that are not alike are noted as such.
func (m *maker) alone() map[string]float64 {
	if len(m.spec.Alone) == 0 {
		return nil
	}
	area := map[string]float64{}
	var tasks []string
	for _, s := range m.b.accepted(m.spec.Alone, m.sc) {
		if !slices.Contains(tasks, s.Tasks[0]) {
			tasks = append(tasks, s.Tasks[0])
		}
	}
	auc, _ := spec.MeasureOf("AUC")
	for _, task := range tasks {
		g := m.b.group(m.b.lib.EnvLabel(m.sc.Env)+" "+task+" alone", func(s *read.Summary) (string, bool) {
			return "", s.Env == m.sc.Env && m.spec.Alone.Accepts(s, m.sc.Vars) && s.Tasks[0] == task
		})
		scores := g.scores(func(s *read.Summary, mode string) []float64 { return auc.Of(&m.x, s, mode) })
		if len(scores) == 0 {
			continue
		}
		sum := 0.0
		for _, x := range scores {
			sum += x[0]
		}
		area[task], m.t.Runs = sum/float64(len(scores)), append(m.t.Runs, g.runs...)
		m.t.Foot = append(m.t.Foot, "AUC_ref of "+task+": "+g.source().Text())
	}
	return area
}

// row adds a row. If the columns have runs of their own, each cell names them.
func (m *maker) row(e entry) {
	if slices.ContainsFunc(m.columns, func(c entry) bool { return c.match != nil }) {
		r := m.add(e, group{})
		for _, c := range m.columns {
			g := m.cellGroup(e, c)
			src := g.source()
			cell := m.cell(e, c, g)
			cell.Source = &src
			r.Cells = append(r.Cells, cell)
			m.t.Runs = append(m.t.Runs, g.runs...)
		}
		if r.SeedCounts() == "0" && m.leftOut(e) {
			m.t.Rows = m.t.Rows[:len(m.t.Rows)-1]
		}
		return
	}
	g := m.cellGroup(e, entry{})
	if len(g.runs) == 0 && m.leftOut(e) {
		return
	}
	r := m.add(e, g)
	if len(g.runs) == 0 && e.match != nil {
		for _, s := range m.b.lostOf(m.spec, m.sc, m.runs) {
			if _, ok := e.match(s); ok {
				r.Lost = append(r.Lost, s.ID)
			}
		}
	}
	for _, c := range m.columns {
		cell := m.cell(e, c, g)
		cell.Undefined = len(r.Lost) > 0
		r.Cells = append(r.Cells, cell)
	}
	m.groups = append(m.groups, g)
}

// filledRows is the number of rows that have runs.
func (m *maker) filledRows() int {
	n := 0
	for _, r := range m.t.Rows {
		if r.SeedCounts() != "0" {
			n++
		}
	}
	return n
}

// filledColumns is the number of columns that have values.
func (m *maker) filledColumns() int {
	n := 0
	for i := range m.columns {
		if slices.ContainsFunc(m.t.Rows, func(r format.Row) bool { return !r.Cells[i].Missing() }) {
			n++
		}
	}
	return n
}

// leftOut says whether a row is not shown where it has no runs.
func (m *maker) leftOut(e entry) bool {
	printed := func(c entry) bool { return m.paper(e, c) != nil }
	return e.rest || e.Optional || m.spec.Rows.Present && !slices.ContainsFunc(m.columns, printed)
}

func (m *maker) add(e entry, g group) *format.Row {
	key := e.Key
	if e.env != "" {
		key = e.env + "_" + key
	}
	m.t.Rows = append(m.t.Rows, format.Row{Key: key, Labels: e.labels, Source: g.source(), Unranked: e.Unranked, Block: e.env, Color: e.Tint()})
	m.t.Runs = append(m.t.Runs, g.runs...)
	return &m.t.Rows[len(m.t.Rows)-1]
}

// cellGroup is the runs that belong to a row and a column.
func (m *maker) cellGroup(e, c entry) group {
	label := e.Label
	if c.Label != "" {
		label += " on " + c.Label
	}
	f, _ := spec.MeasureOf(m.value(c))
	env := cmp.Or(e.env, m.sc.Env)
	return m.b.group(label, func(s *read.Summary) (string, bool) {
		if env != "" && s.Env != env || m.sc.family != "" && alike.Family(s) != m.sc.family || !m.spec.Where.Accepts(s, m.sc.Vars) {
			return "", false
		}
		mode := ""
		for _, x := range []entry{e, c} {
			if x.match == nil {
				continue
			}
			of, ok := x.match(s)
			if !ok {
				return "", false
			}
			mode = cmp.Or(mode, of)
		}
		return mode, f.Name != spec.UnseenMeasure || len(f.Of(&m.x, s, cmp.Or(mode, s.Own()))) > 0
	})
}

func (m *maker) cell(e, c entry, g group) format.Cell {
	f, _ := spec.MeasureOf(m.value(c))
	x := m.x
	if m.spec.Rows.Of == "unseen" {
		x.Task = e.Key
	}
	scores := g.scores(func(s *read.Summary, mode string) []float64 {
		if e.score != nil {
			return e.score(s)
		}
		v := f.Of(&x, s, mode)
		if c.Part != "" {
			return meanOf(spec.Part(c.Part, v, len(s.Tasks)))
		}
		if m.spec.Columns.Of == "tasks" && !slices.Equal(s.Tasks, m.runs[0].Tasks) {
			return nil
		}
		if c.first > 0 && len(v) >= c.last {
			return meanOf(v[c.first-1 : c.last])
		}
		return v
	})
	return m.b.cell(scores, m.paper(e, c))
}

// meanOf is the mean of scores, one number; none if one of them is undefined.
func meanOf(v []float64) []float64 {
	if len(v) < 2 {
		return v
	}
	if x := metrics.Mean(v); !math.IsNaN(x) {
		return []float64{x}
	}
	return nil
}

func (m *maker) paper(e, c entry) *format.PaperValue {
	in := m.sc.Vars
	in.Env, in.Column = cmp.Or(e.env, m.sc.Env), c.path
	runs := m.runs
	if e.env != "" {
		runs = slices.DeleteFunc(slices.Clone(runs), func(s *read.Summary) bool { return s.Env != e.env })
	}
	if len(runs) == 0 {
		return nil
	}
	return m.b.lib.Reference(m.spec.Paper[e.Key], in, len(runs[0].Tasks))
}
