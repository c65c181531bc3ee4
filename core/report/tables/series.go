package tables

import (
	"math"

	"macpro/core/metrics"
	"macpro/core/report/draw"
	"macpro/core/report/read"
	"macpro/core/report/spec"
	"macpro/core/report/stats"
)

const visitsLabel = "visit of a task"

// seriesFigures draws, for every environment or family, a panel for every series.
func (b *builder) seriesFigures(sp *spec.FigureSpec) []*draw.Figure {
	var out []*draw.Figure
	for _, v := range b.views(sp) {
		f := &draw.Figure{Title: v.in.Labels(sp.Title), Columns: sp.Columns, Foot: v.foot}
		for _, of := range sp.Panels {
			f.Panels = append(f.Panels, b.seriesPanel(f, v.curves, of, v.in.Env))
		}
		out = append(out, f)
	}
	return out
}

func (b *builder) seriesPanel(f *draw.Figure, curves []curve, of spec.Panel, env string) draw.Panel {
	series, _ := spec.SeriesOf(of.Value) // checked when the spec was read
	p := draw.Panel{Title: of.Title, X: stepsLabel, Y: of.Y, High: of.High, Whole: of.Whole, Visits: series.Visits}
	if series.Visits {
		p.X = visitsLabel
	}
	var shown []*read.Summary
	for _, c := range curves {
		if l := b.points(c.group, series); len(l.X) > 0 {
			p.Lines = append(p.Lines, c.styled(l))
			shown = append(shown, c.runs...)
		}
	}
	f.Runs = append(f.Runs, shown...)
	if !series.Visits {
		p.Borders, p.Apart = borders(shown, env)
	}
	return p
}

// points averages the places of a series over runs, the k-th of all runs together.
func (b *builder) points(g group, of spec.Series) draw.Line {
	l := draw.Line{Label: g.label}
	var xs, ys [][]float64
	most := 0
	for i, s := range g.runs {
		x, y := of.Of(s, g.modes[i])
		xs, ys, most = append(xs, x), append(ys, y), max(most, len(x))
	}
	for k := range most {
		var at []float64
		var values stats.Scores
		for i := range xs {
			if k < len(xs[i]) && !math.IsNaN(ys[i][k]) {
				at, values = append(at, xs[i][k]), append(values, []float64{ys[i][k]})
			}
		}
		if len(values) == 0 {
			continue
		}
		mid, low, high := b.band(values)
		l.X, l.Y = append(l.X, metrics.Mean(at)), append(l.Y, mid)
		l.Low, l.High = append(l.Low, low), append(l.High, high)
	}
	return l
}
