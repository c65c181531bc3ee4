package draw

import (
	"image/color"
	"math"
	"slices"

	"macpro/core/report/read"
)

// Figure is a picture apart from how it is drawn: panels side by side with one
// legend below them.
type Figure struct {
	Title   string
	Columns int // panels in a row
	Panels  []Panel
	Foot    []string
	Spread  string // what bands are, if not the spread of --stats
	Runs    []*read.Summary
}

// Panel is one set of axes with lines, bars or points on it.
type Panel struct {
	Title, X, Y string
	// Low and High bound the y axis; equal values leave it to the data.
	Low, High  float64
	Whole      bool      // the y axis counts: whole numbers from 0
	Visits     bool      // the x axis counts from 1; else it is steps
	Spans      []Span    // light strips behind the curves
	Borders    []float64 // thin upright lines where tasks begin
	Apart      int       // tasks from one border to the next
	Lines      []Line
	Categories []string // of Bars, along the x axis
	Bars       []Bars
	Points     []Points
}

// Span is an interval of the x axis.
type Span struct{ From, To float64 }

// Line is a curve with a band around it. Low and High may be nil.
type Line struct {
	Label  string
	Color  color.NRGBA
	Dashes string // of palette.Dashes; "" is solid
	Mark   int    // of the marks along the curve, >= 0; after the last comes the first again
	Step   bool   // the value holds until the next point
	X, Y   []float64
	Low    []float64
	High   []float64
}

// Bars is one value a category; NaN is what was not run. Low and High are the ends
// of the error bars.
type Bars struct {
	Label  string
	Paper  bool // printed elsewhere: what it lacks was not left out by us
	Color  color.NRGBA
	Values []float64
	Low    []float64
	High   []float64
}

// Points is a cloud of points.
type Points struct {
	Label    string
	Color    color.NRGBA
	Triangle bool // instead of circles
	X, Y     []float64
}

// Empty says whether there is nothing of ours to be seen.
func (p Panel) Empty() bool {
	return !slices.ContainsFunc(p.Lines, Line.drawn) && len(p.Points) == 0 &&
		!slices.ContainsFunc(p.Bars, func(b Bars) bool { return !b.Paper && b.drawn() })
}

// Ran is the panel without the categories that none of our bars has a value in.
func (p Panel) Ran() Panel {
	keep := func(i int) bool {
		return slices.ContainsFunc(p.Bars, func(b Bars) bool { return !b.Paper && !math.IsNaN(b.Values[i]) })
	}
	out := p
	out.Categories, out.Bars = nil, slices.Clone(p.Bars)
	for k := range out.Bars {
		out.Bars[k].Values, out.Bars[k].Low, out.Bars[k].High = nil, nil, nil
	}
	for i, c := range p.Categories {
		if !keep(i) {
			continue
		}
		out.Categories = append(out.Categories, c)
		for k, b := range p.Bars {
			o := &out.Bars[k]
			o.Values, o.Low, o.High = append(o.Values, b.Values[i]), append(o.Low, b.Low[i]), append(o.High, b.High[i])
		}
	}
	return out
}

func (l Line) drawn() bool { return len(l.X) > 0 }

func (b Bars) drawn() bool {
	return slices.ContainsFunc(b.Values, func(v float64) bool { return !math.IsNaN(v) })
}
