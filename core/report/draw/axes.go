package draw

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// plot makes the axes of a panel and everything on them.
func (p Panel) plot() (*plot.Plot, error) {
	q := plot.New()
	q.Title.Text, q.X.Label.Text, q.Y.Label.Text = p.Title, p.X, p.Y
	font := textStyle(12).Font
	q.Title.TextStyle.Font, q.Title.Padding = font, vg.Points(4)
	for _, a := range []*plot.Axis{&q.X, &q.Y} {
		a.Label.TextStyle.Font, a.Tick.Label.Font = font, font
		a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = vg.Points(11), vg.Points(10)
		a.LineStyle.Width = vg.Points(0.7)
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color = nil
	grid.Horizontal.Color = color.Gray{0xdd}
	if err := p.addSpans(q); err != nil {
		return nil, err
	}
	q.Add(grid)
	for _, add := range []func(*plot.Plot) error{p.addBars, p.addPoints, p.addLines} {
		if err := add(q); err != nil {
			return nil, err
		}
	}
	if p.High > p.Low {
		q.Y.Min, q.Y.Max = p.Low, math.Max(p.High, q.Y.Max)
		if q.Y.Max > p.High { // bands may stick out, scores do not
			q.Y.Max = p.High + 0.05*(p.High-p.Low)
		}
		q.Y.Tick.Marker = quarters{p.Low, p.High}
	} else if p.Whole {
		q.Y.Min, q.Y.Max = 0, q.Y.Max+1
		q.Y.Tick.Marker = whole{}
	} else if len(p.Lines) > 0 {
		q.Y.Tick.Marker = labelled(func(y float64) string { return fmt.Sprintf("%.5g", y) })
	}
	switch {
	case p.Visits:
		q.X.Tick.Marker = whole{}
	case len(p.Lines) > 0:
		q.X.Tick.Marker = labelled(Steps)
		q.X.Min = 0
	}
	return q, nil
}

// labelled writes the labels of the usual ticks, which have too few digits.
type labelled func(float64) string

func (text labelled) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = text(ticks[i].Value)
		}
	}
	return ticks
}

type quarters struct{ low, high float64 }

func (t quarters) Ticks(float64, float64) []plot.Tick {
	var ticks []plot.Tick
	for i := range 5 {
		v := t.low + (t.high-t.low)*float64(i)/4
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.2f", v)})
	}
	return ticks
}

// whole labels counts, at most ten of them.
type whole struct{}

func (whole) Ticks(low, high float64) []plot.Tick {
	by := max(1, math.Ceil((high-low)/10))
	var ticks []plot.Tick
	for v := math.Ceil(low); v <= high; v += by {
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.0f", v)})
	}
	return ticks
}

// Steps prints a number of steps in thousands or millions.
func Steps(t float64) string {
	switch {
	case t >= 1e6:
		return fmt.Sprintf("%.3gM", t/1e6)
	case t >= 1e3:
		return fmt.Sprintf("%.3gk", t/1e3)
	}
	return fmt.Sprintf("%.4g", t)
}
