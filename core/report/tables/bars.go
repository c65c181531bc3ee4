package tables

import (
	"math"
	"slices"

	"macpro/core/palette"
	"macpro/core/report/draw"
	"macpro/core/report/format"
	"macpro/core/report/spec"
)

// bars are the values of some cells, one a category.
func (b *builder) bars(label string, cells []format.Cell) draw.Bars {
	out := draw.Bars{Label: label}
	for _, c := range cells {
		mid, low, high := float64(c.Mean), float64(c.Mean-c.Std), float64(c.Mean+c.Std)
		if b.o.Stats == format.StatsIQM {
			mid, low, high = float64(c.IQM), float64(c.Interval.Low), float64(c.Interval.High)
		}
		out.Values, out.Low, out.High = append(out.Values, mid), append(out.Low, low), append(out.High, high)
	}
	return out
}

// paperBars are the printed values of the same cells; false if there is none.
func paperBars(cells []format.Cell) (draw.Bars, bool) {
	out, some := draw.Bars{Label: "paper", Paper: true, Color: palette.Silver}, false
	for _, c := range cells {
		v := format.PaperValue{Mean: math.NaN(), Std: math.NaN()}
		if c.Paper != nil {
			v, some = *c.Paper, true
		}
		out.Values = append(out.Values, v.Mean)
		out.Low, out.High = append(out.Low, v.Mean-v.Std), append(out.High, v.Mean+v.Std)
	}
	return out, some
}

// tableFigure draws the tables of a figure as bars.
func (b *builder) tableFigure(sp *spec.FigureSpec) []*draw.Figure {
	b.table1(sp)
	f := &draw.Figure{Title: sp.Title, Columns: sp.Columns}
	for i, t := range b.tables {
		if len(t.Runs) == 0 {
			continue
		}
		if sp.Title == "" {
			f.Title = t.Title
		}
		if sp.Draw == "rows" {
			f.Panels = append(f.Panels, b.rowPanel(t, b.shown[i], sp))
		} else {
			f.Panels = append(f.Panels, b.columnPanels(t, sp)...)
		}
		f.Runs = append(f.Runs, t.Runs...)
	}
	return []*draw.Figure{f}
}

// table1 makes the tables of a figure, without the further one of --env.
func (b *builder) table1(sp *spec.FigureSpec) {
	s := b.lib.Table(sp.Table)
	for _, sc := range b.scopes(s) {
		n := len(b.tables)
		if b.table(sp.Table, s, sc); len(b.tables) > n {
			b.shown = append(b.shown, sc)
		}
	}
}

// rowPanel shows one column of a table beside the paper's values, a category a
// row.
func (b *builder) rowPanel(t *format.Table, sc scope, sp *spec.FigureSpec) draw.Panel {
	p := draw.Panel{Title: sc.Labels(sp.Panel), X: sc.Labels(sp.X), Y: sp.Y, High: 1}
	column := slices.IndexFunc(t.Columns, func(c format.Column) bool { return c.Name == sp.Column })
	var cells []format.Cell
	for _, r := range t.Rows {
		p.Categories = append(p.Categories, r.Labels[len(r.Labels)-1])
		cells = append(cells, r.Cells[column])
	}
	if !slices.ContainsFunc(cells, func(c format.Cell) bool { return !c.Missing() }) {
		return draw.Panel{}
	}
	ours := b.bars("ours", cells)
	ours.Color = spec.Item{Color: sp.Color}.Tint()
	p.Bars = []draw.Bars{ours}
	if printed, some := paperBars(cells); some {
		p.Bars = append(p.Bars, printed)
	}
	return p
}

// columnPanels shows the rows of a table as bars, a category a column, a panel a
// block of rows. Rows without values are left out of tables without blocks.
func (b *builder) columnPanels(t *format.Table, sp *spec.FigureSpec) []draw.Panel {
	var panels []draw.Panel
	var blocks []string
	for _, r := range t.Rows {
		i := slices.Index(blocks, r.Block)
		if i < 0 {
			i = len(panels)
			blocks, panels = append(blocks, r.Block), append(panels, draw.Panel{Y: sp.Y, High: 1})
			if r.Block != "" {
				panels[i].Title = r.Labels[0]
			}
			for _, c := range t.Columns {
				panels[i].Categories = append(panels[i].Categories, c.Name)
			}
		}
		if r.Block == "" && !slices.ContainsFunc(r.Cells, func(c format.Cell) bool { return !c.Missing() }) {
			continue
		}
		p := &panels[i]
		ours := b.bars(r.Labels[len(r.Labels)-1], r.Cells)
		ours.Color = r.Color
		p.Bars = append(p.Bars, ours)
		if printed, some := paperBars(r.Cells); some && sp.Paper {
			printed.Label, printed.Color = ours.Label+", paper", r.Color
			printed.Color.A = 0x55
			p.Bars = append(p.Bars, printed)
		}
	}
	return panels
}
