package draw

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

func (p Panel) addCurves(chart *charts.Line) {
	for i, l := range p.Lines {
		mark := opts.LineChart{ShowSymbol: opts.Bool(false)}
		if l.Step {
			mark.Step = "end"
		}
		style := []charts.SeriesOpts{
			charts.WithLineChartOpts(mark),
			charts.WithLineStyleOpts(opts.LineStyle{Width: 2, Type: dashes(l.Dashed)}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: css(l.Color)}),
		}
		if i == 0 && len(p.Spans) > 0 {
			style = append(style, p.spanAreas()...)
		}
		data := make([]opts.LineData, len(l.X))
		for k := range l.X {
			data[k].Value = at(l.X[k], l.Y[k])
		}
		chart.AddSeries(l.Label, data, style...)
	}
}

func (p Panel) clouds() *charts.Scatter {
	out, clouds := charts.NewScatter(), p.Points
	if p.Solid() {
		clouds = painted(clouds)
	}
	for _, q := range clouds {
		mark, style := opts.ScatterChart{SymbolSize: 5}, opts.ItemStyle{Color: css(q.Color), Opacity: opts.Float(0.6)}
		if q.Triangle {
			mark, style = opts.ScatterChart{Symbol: "triangle", SymbolSize: 9}, opts.ItemStyle{Color: css(q.Color)}
		}
		data := make([]opts.ScatterData, len(q.X))
		for i := range q.X {
			data[i].Value = at(q.X[i], q.Y[i])
			if p.Solid() { // where it is seen, and where it is
				x, y, _ := sight.see(q.at(i))
				data[i].Value = [5]float64{rounded(x), rounded(y), q.X[i], q.Y[i], q.Z[i]}
			}
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
		if l.Step || len(l.Low) == 0 {
			continue
		}
		var data []opts.CustomData
		add := func(x, y float64) {
			if p.High > p.Low {
				y = min(max(y, p.Low), p.High)
			}
			data = append(data, opts.CustomData{Value: at(x, y)})
		}
		for i, x := range l.X {
			add(x, l.High[i])
		}
		for i, x := range slices.Backward(l.X) {
			add(x, l.Low[i])
		}
		c := l.Color
		c.A = bandAlpha
		out.AddSeries("", data, charts.WithItemStyleOpts(opts.ItemStyle{Color: css(c)}))
	}
	return out
}

// spanAreas are the grey strips, which ECharts wants as parts of a series.
func (p Panel) spanAreas() []charts.SeriesOpts {
	low, high := p.strip()
	out := []charts.SeriesOpts{charts.WithMarkAreaStyleOpts(opts.MarkAreaStyle{
		ItemStyle: &opts.ItemStyle{Color: "#b0b0b0", BorderColor: "#444", BorderWidth: 1}})}
	for _, s := range p.Spans {
		out = append(out, charts.WithMarkAreaData([]opts.MarkAreaData{{Coord: at(s.From, low)}, {Coord: at(s.To, high)}}))
	}
	return out
}

// walls are the sides of the box behind the points.
func (p Panel) walls() *charts.Custom {
	out := charts.NewCustom()
	for _, pane := range roomOf(p.Points).panes() {
		var data []opts.CustomData
		for _, corner := range pane {
			x, y, _ := sight.see(corner)
			data = append(data, opts.CustomData{Value: at(x, y)})
		}
		out.AddSeries("", data, charts.WithItemStyleOpts(opts.ItemStyle{Color: css(paneFill), BorderColor: css(paneEdge)}))
	}
	return out
}

// components names each beside its edge in front.
func (p Panel) components() *charts.Scatter {
	out := charts.NewScatter()
	edges := roomOf(p.Points).edges()
	for i, name := range []string{p.X, p.Y, p.Z} {
		label := opts.Label{Show: opts.Bool(true), Formatter: "{b}", Color: "#666", Position: []string{"bottom", "bottom", "left"}[i], Align: []string{"right", "left", "right"}[i]}
		x, y, _ := sight.see(edges[i])
		out.AddSeries("", []opts.ScatterData{{Name: name, Value: at(x, y)}},
			charts.WithScatterChartOpts(opts.ScatterChart{SymbolSize: 1}), charts.WithLabelOpts(label))
	}
	return out
}

func dashes(dashed bool) string {
	if dashed {
		return "dashed"
	}
	return "solid"
}

func css(c color.NRGBA) string {
	return fmt.Sprintf("rgba(%d,%d,%d,%.2f)", c.R, c.G, c.B, float64(c.A)/255)
}

// rounded keeps what a chart can show, for smaller pages.
func rounded(x float64) float64 { return math.Round(x*1e5) / 1e5 }

// at is a point of a chart.
func at(x, y float64) [2]float64 { return [2]float64{x, rounded(y)} }
