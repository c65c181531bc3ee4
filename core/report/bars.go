package report

import (
	"fmt"
	"math"
	"slices"

	"macpro/core/record"
)

// bars turns a column of a table into bars, a row a category.
func (b *builder) bars(label string, cells []Cell) Bars {
	out := Bars{Label: label}
	for _, c := range cells {
		mid, low, high := float64(c.Mean), float64(c.Mean-c.Std), float64(c.Mean+c.Std)
		if b.o.Stats == StatsIQM {
			mid, low, high = float64(c.IQM), float64(c.Interval.Low), float64(c.Interval.High)
		}
		out.Values, out.Low, out.High = append(out.Values, mid), append(out.Low, low), append(out.High, high)
	}
	return out
}

// paperBars are the printed values of the same cells; false if there is none.
func paperBars(cells []Cell) (Bars, bool) {
	out, any := Bars{Label: "paper", Color: colors["paper"]}, false
	for _, c := range cells {
		v := PaperValue{math.NaN(), math.NaN()}
		if c.Paper != nil {
			v, any = *c.Paper, true
		}
		out.Values = append(out.Values, v.Mean)
		out.Low, out.High = append(out.Low, v.Mean-v.Std), append(out.High, v.Mean+v.Std)
	}
	return out, any
}

// barPanel shows one column of a table beside the paper's values.
func (b *builder) barPanel(t *Table, column int, title string) Panel {
	p := Panel{Title: title, Y: "score", High: 1}
	var cells []Cell
	for _, r := range t.Rows {
		p.Categories = append(p.Categories, r.Labels[len(r.Labels)-1])
		cells = append(cells, r.Cells[column])
	}
	if !slices.ContainsFunc(cells, func(c Cell) bool { return !c.Missing() }) {
		return Panel{}
	}
	ours := b.bars("ours", cells)
	ours.Color = colors[reference]
	p.Bars = []Bars{ours}
	if printed, any := paperBars(cells); any {
		p.Bars = append(p.Bars, printed)
	}
	return p
}

// tablesOf makes tables with this builder.
func (b *builder) tablesOf(build func(*builder) error) ([]*Table, error) {
	if err := build(b); err != nil {
		return nil, err
	}
	return b.tables, nil
}

func (b *builder) ablationFigure() ([]*Figure, error) {
	tables, err := b.tablesOf((*builder).ablationTable)
	if err != nil {
		return nil, err
	}
	f := &Figure{Kind: "ablation", Columns: 1}
	for _, t := range tables {
		f.Title = t.Title
		column := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == "average" })
		f.Panels = append(f.Panels, b.barPanel(t, column, "final average"))
		f.Runs = append(f.Runs, t.Runs...)
	}
	return []*Figure{f}, nil
}

func (b *builder) integrativeFigure() ([]*Figure, error) {
	tables, err := b.tablesOf((*builder).integrativeTable)
	if err != nil {
		return nil, err
	}
	if len(tables[0].Runs) == 0 {
		return nil, nil
	}
	f := &Figure{Kind: "integrative", Title: "Final average with and without MACPro; light: the paper's values", Columns: 2}
	for _, t := range tables {
		f.Runs = t.Runs
		for i := 0; i+1 < len(t.Rows); i += 2 {
			p := Panel{Title: t.Rows[i].Labels[0], Y: "final average", High: 1}
			for _, c := range t.Columns {
				p.Categories = append(p.Categories, c.Name)
			}
			for k, key := range []string{reference, "finetuning"} {
				row := t.Rows[i+k]
				ours := b.bars(row.Labels[1], row.Cells)
				ours.Color = colors[key]
				p.Bars = append(p.Bars, ours)
				if printed, any := paperBars(row.Cells); any {
					printed.Label, printed.Color = row.Labels[1]+", paper", ours.Color
					printed.Color.A = 0x55
					p.Bars = append(p.Bars, printed)
				}
			}
			f.Panels = append(f.Panels, p)
		}
	}
	return []*Figure{f}, nil
}

func (b *builder) generalizationFigure() ([]*Figure, error) {
	env := b.o.Env
	b.o.Env = "" // the table of single tasks is no part of the figure
	tables, err := b.tablesOf((*builder).generalizationTables)
	b.o.Env = env
	if err != nil || len(tables[0].Runs) == 0 {
		return nil, err
	}
	t := tables[0]
	f := &Figure{Kind: record.Generalization, Title: t.Title, Columns: 1, Runs: t.Runs}
	p := Panel{Y: "average score", High: 1}
	for _, c := range t.Columns {
		p.Categories = append(p.Categories, c.Name)
	}
	for _, r := range t.Rows {
		if slices.ContainsFunc(r.Cells, func(c Cell) bool { return !c.Missing() }) {
			s := b.bars(r.Labels[0], r.Cells)
			s.Color = colorOf(r.Key)
			p.Bars = append(p.Bars, s)
		}
	}
	f.Panels = []Panel{p}
	return []*Figure{f}, nil
}

func (b *builder) sensitivityFigure() ([]*Figure, error) {
	tables, err := b.tablesOf((*builder).sensitivityTables)
	if err != nil {
		return nil, err
	}
	f := &Figure{Kind: "sensitivity", Title: "Final average under other values of one key", Columns: 2}
	for _, t := range tables {
		if len(t.Rows) == 0 {
			continue
		}
		p := b.barPanel(t, 0, fmt.Sprintf("%s, %s", EnvLabel(t.Runs[0].Env), t.Head[0]))
		p.X, p.Y = t.Head[0], "final average"
		f.Panels = append(f.Panels, p)
		f.Runs = append(f.Runs, t.Runs...)
	}
	return []*Figure{f}, nil
}
