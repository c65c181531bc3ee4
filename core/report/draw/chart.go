package draw

import (
	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// Option is the panel as an option of ECharts. The page's script adds to it what
// go-echarts has no fields for: labels of steps, and the shapes of bands and error bars.
func (p Panel) Option() map[string]any {
	chart := charts.NewLine()
	chart.SetGlobalOptions(p.frame()...)
	if len(p.Categories) > 0 {
		chart.SetXAxis(p.Categories)
	}
	p.addCurves(chart)
	chart.Overlap(p.clouds(), p.barChart(), p.bands(), p.whiskers())
	chart.Validate()
	option := chart.JSON()
	option["steps"] = len(p.Lines) > 0 && !p.Visits
	option["bars"] = map[string]any{"count": len(p.Bars), "barGap": barGap, "barCategoryGap": categoryGap}
	return option
}

func (p Panel) frame() []charts.GlobalOpts {
	x := opts.XAxis{Type: "value", Name: p.X, NameLocation: "middle", NameGap: 28}
	y := opts.YAxis{Type: "value", Name: p.Y, NameLocation: "middle", NameGap: 42}
	trigger := "axis"
	switch {
	case len(p.Categories) > 0:
		x.Type = "category"
	case len(p.Points) > 0:
		x.Scale, y.Scale, trigger = opts.Bool(true), opts.Bool(true), "item"
	}
	if len(p.Lines) > 0 {
		x.Max = "dataMax"
	}
	switch {
	case p.High > p.Low:
		y.Min, y.Max = p.Low, p.High
	case len(p.Lines) > 0 && !p.Whole:
		y.Scale = opts.Bool(true)
	}
	if p.Visits {
		x.Min, x.MinInterval = 1, 1
	}
	legend := opts.Legend{Data: p.labels(), Bottom: "0", Type: "plain"}
	if len(p.Points) > 0 {
		legend.Icon = "circle"
	}
	if len(p.labels()) > 8 {
		legend.Type = "scroll"
	}
	grid := opts.Grid{Left: "64", Right: "20", Top: "40", Bottom: "90"}
	tools := &opts.ToolBoxFeature{SaveAsImage: &opts.ToolBoxFeatureSaveAsImage{},
		// nil maps would be written as null and hide the icons
		DataZoom: &opts.ToolBoxFeatureDataZoom{YAxisIndex: "none", Icon: map[string]string{}, Title: map[string]string{}}}
	return []charts.GlobalOpts{
		charts.WithAnimation(false),
		charts.WithTitleOpts(opts.Title{Title: p.Title, Left: "center", TitleStyle: &opts.TextStyle{FontSize: 14}}),
		charts.WithGridOpts(grid),
		charts.WithLegendOpts(legend),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: trigger}),
		charts.WithToolboxOpts(opts.Toolbox{Feature: tools}),
		charts.WithXAxisOpts(x), charts.WithYAxisOpts(y),
	}
}

// labels names the series of the legend; bands have no name and are not in it.
func (p Panel) labels() []string {
	var out []string
	for _, e := range entries(p) {
		out = append(out, e.label)
	}
	return out
}
