package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"
)

// option is the panel as an option of ECharts. Its fields bands and steps are
// for the page's script, which turns bands into polygons and labels steps.
func (p Panel) option() map[string]any {
	var series, bands []any
	var legend []string
	add := func(name string, s map[string]any) {
		s["name"] = name
		series = append(series, s)
		if !slices.Contains(legend, name) {
			legend = append(legend, name)
		}
	}
	for i, l := range p.Lines {
		if !l.Step && len(l.Low) > 0 {
			bands = append(bands, p.bandOf(l))
		}
		s := map[string]any{"type": "line", "showSymbol": false, "data": pointsOf(l.X, l.Y), "z": 3,
			"lineStyle": map[string]any{"width": 2, "type": dashes(l.Dashed)}, "itemStyle": map[string]any{"color": css(l.Color)}}
		if l.Step {
			s["step"] = "end"
		}
		if i == 0 && len(p.Spans) > 0 {
			s["markArea"] = p.spanAreas()
		}
		add(l.Label, s)
	}
	for _, q := range p.Points {
		s := map[string]any{"type": "scatter", "data": pointsOf(q.X, q.Y), "symbolSize": 5, "itemStyle": map[string]any{"color": css(q.Color), "opacity": 0.6}}
		if q.Triangle {
			s["symbol"], s["symbolSize"], s["itemStyle"] = "triangle", 9, map[string]any{"color": css(q.Color)}
		}
		add(q.Label, s)
	}
	for _, b := range p.Bars {
		add(b.Label, map[string]any{"type": "bar", "data": finite(b.Values), "itemStyle": map[string]any{"color": css(b.Color)}})
	}
	option := p.frame(series, legend)
	option["bands"] = bands
	return option
}

// frame is everything around the series.
func (p Panel) frame(series []any, legend []string) map[string]any {
	x := map[string]any{"type": "value", "name": p.X, "nameLocation": "middle", "nameGap": 28}
	y := map[string]any{"type": "value", "name": p.Y, "nameLocation": "middle", "nameGap": 42}
	trigger := "axis"
	switch {
	case len(p.Categories) > 0:
		x["type"], x["data"] = "category", p.Categories
	case len(p.Points) > 0:
		x["scale"], y["scale"], trigger = true, true, "item"
	}
	kind := "plain"
	if len(legend) > 8 {
		kind = "scroll"
	}
	if len(p.Lines) > 0 {
		x["max"] = "dataMax"
	}
	if p.High > p.Low {
		y["min"], y["max"] = p.Low, p.High
	}
	return map[string]any{
		"animation": false, "steps": len(p.Lines) > 0,
		"title":   map[string]any{"text": p.Title, "left": "center", "textStyle": map[string]any{"fontSize": 14}},
		"grid":    map[string]any{"left": 64, "right": 20, "top": 40, "bottom": 90},
		"legend":  map[string]any{"data": legend, "bottom": 0, "type": kind},
		"tooltip": map[string]any{"trigger": trigger},
		"toolbox": map[string]any{"feature": map[string]any{"dataZoom": map[string]any{"yAxisIndex": "none", "filterMode": "none"}, "saveAsImage": map[string]any{}}},
		"xAxis":   x, "yAxis": y, "series": series,
	}
}

// bandOf is the outline of a line's band, as far as the scores reach.
func (p Panel) bandOf(l Line) map[string]any {
	xs, ys := slices.Clone(l.X), make([]float64, 0, 2*len(l.X))
	slices.Reverse(xs)
	ys = append(ys, l.High...)
	for _, y := range slices.Backward(l.Low) {
		ys = append(ys, y)
	}
	for i := range ys {
		if p.High > p.Low {
			ys[i] = min(max(ys[i], p.Low), p.High)
		}
	}
	c := l.Color
	c.A = bandAlpha
	return map[string]any{"color": css(c), "points": pointsOf(append(slices.Clone(l.X), xs...), ys)}
}

func (p Panel) spanAreas() map[string]any {
	low, high := p.strip()
	var data []any
	for _, s := range p.Spans {
		data = append(data, []any{map[string]any{"xAxis": s.From, "yAxis": low}, map[string]any{"xAxis": s.To, "yAxis": high}})
	}
	return map[string]any{"silent": true, "itemStyle": map[string]any{"color": "#b0b0b0", "borderColor": "#444", "borderWidth": 1}, "data": data}
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

func pointsOf(x, y []float64) [][2]float64 {
	out := make([][2]float64, len(x))
	for i := range x {
		out[i] = [2]float64{x[i], math.Round(y[i]*1e5) / 1e5}
	}
	return out
}

// finite has null for values that are none.
func finite(x []float64) []any {
	out := make([]any, len(x))
	for i, v := range x {
		if !math.IsNaN(v) {
			out[i] = math.Round(v*1e5) / 1e5
		}
	}
	return out
}
