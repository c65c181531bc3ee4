package draw

import (
	"cmp"
	"fmt"
	"image/color"
	"math"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

func (p Panel) addCurves(chart *charts.Line) {
	for i, l := range p.Lines {
		mark := opts.LineChart{ShowSymbol: opts.Bool(true), Symbol: marks[l.Mark%len(marks)].symbol, SymbolSize: 7}
		if l.Step {
			mark.Step = "end"
		}
		style := []charts.SeriesOpts{
			charts.WithLineChartOpts(mark),
			charts.WithLineStyleOpts(opts.LineStyle{Width: 2, Type: cmp.Or(l.Dashes, "solid")}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: css(l.Color)}),
		}
		if i == 0 {
			style = append(style, p.spanAreas()...)
		}
		data := make([]opts.LineData, len(l.X))
		for k := range l.X {
			data[k] = opts.LineData{Value: at(l.X[k], l.Y[k]), Symbol: "none"}
		}
		for _, k := range l.marked() {
			data[k].Symbol = ""
		}
		chart.AddSeries(l.Label, data, style...)
	}
}

func (p Panel) clouds() *charts.Scatter {
	out := charts.NewScatter()
	for _, q := range p.Points {
		mark, style := opts.ScatterChart{SymbolSize: 5}, opts.ItemStyle{Color: css(q.Color), Opacity: opts.Float(0.6)}
		if q.Triangle {
			mark, style = opts.ScatterChart{Symbol: "triangle", SymbolSize: 9}, opts.ItemStyle{Color: css(q.Color)}
		}
		data := make([]opts.ScatterData, len(q.X))
		for i := range q.X {
			data[i].Value = at(q.X[i], q.Y[i])
		}
		out.AddSeries(q.Label, data, charts.WithScatterChartOpts(mark), charts.WithItemStyleOpts(style))
	}
	return out
}

// The spaces between bars, in parts of a bar and of a category. The page's script
// finds the bars' middles by them.
const barGap, categoryGap = "30%", "20%"

func (p Panel) barChart() *charts.Bar {
	out := charts.NewBar()
	for _, b := range p.Bars {
		data := make([]opts.BarData, len(b.Values))
		for i, v := range b.Values {
			data[i].Value = "-" // no bar
			if !math.IsNaN(v) {
				data[i].Value = rounded(v)
			}
		}
		out.AddSeries(b.Label, data, charts.WithItemStyleOpts(opts.ItemStyle{Color: css(b.Color)}),
			charts.WithBarChartOpts(opts.BarChart{BarGap: barGap, BarCategoryGap: categoryGap}))
	}
	return out
}

// whiskers are the error bars: category, low and high end, and which of the
// category's bars it is.
func (p Panel) whiskers() *charts.Custom {
	out := charts.NewCustom()
	for k, b := range p.Bars {
		var data []opts.CustomData
		for i := range b.Low {
			if low, high := b.Low[i], b.High[i]; low < high {
				data = append(data, opts.CustomData{Value: [4]float64{float64(i), rounded(low), rounded(high), float64(k)}})
			}
		}
		if data != nil {
			out.AddSeries("", data)
		}
	}
	return out
}

// bands are the outlines of the lines' bands, as far as the scores reach. The
// page's script fills them.
func (p Panel) bands() *charts.Custom {
	out := charts.NewCustom()
	for _, l := range p.Lines {
		var data []opts.CustomData
		for _, q := range p.outline(l) {
			data = append(data, opts.CustomData{Value: at(q.X, q.Y)})
		}
		if data != nil {
			out.AddSeries("", data, charts.WithItemStyleOpts(opts.ItemStyle{Color: css(l.bandColor())}))
		}
	}
	return out
}

// spanAreas are the strips and borders, which ECharts wants as parts of a series.
func (p Panel) spanAreas() []charts.SeriesOpts {
	var out []charts.SeriesOpts
	if len(p.Spans) > 0 {
		out = append(out, charts.WithMarkAreaStyleOpts(opts.MarkAreaStyle{ItemStyle: &opts.ItemStyle{Color: css(spanFill)}}))
	}
	for _, s := range p.Spans {
		out = append(out, charts.WithMarkAreaData([]opts.MarkAreaData{{Coord: at(s.From, p.Low)}, {Coord: at(s.To, p.High)}}))
	}
	if len(p.Borders) > 0 {
		out = append(out, charts.WithMarkLineStyleOpts(opts.MarkLineStyle{Symbol: []string{"none", "none"},
			Label: &opts.Label{Show: opts.Bool(false)}, LineStyle: &opts.LineStyle{Color: css(uprights(p.Borders).color()), Type: "dotted", Width: 1}}))
	}
	for _, x := range p.Borders {
		out = append(out, charts.WithMarkLineNameXAxisItemOpts(opts.MarkLineNameXAxisItem{XAxis: x}))
	}
	return out
}

func css(c color.NRGBA) string {
	return fmt.Sprintf("rgba(%d,%d,%d,%.2f)", c.R, c.G, c.B, float64(c.A)/255)
}

// rounded keeps what a chart can show, for smaller pages.
func rounded(x float64) float64 { return math.Round(x*1e5) / 1e5 }

func at(x, y float64) [2]float64 { return [2]float64{x, rounded(y)} }
