package draw

import (
	"image/color"

	"macpro/core/report/read"
)

// Figure is a picture apart from how it is drawn: panels side by side with one
// legend below them.
type Figure struct {
	Kind    string
	Title   string
	Columns int // panels in a row
	Panels  []Panel
	Foot    []string
	Runs    []*read.Summary
}

// Panel is one set of axes with lines, bars or points on it.
type Panel struct {
	Title, X, Y string
	// Z names a third axis: Points then lie in a box, on one scale. "" is a panel
	// of two axes.
	Z string
	// Low and High bound the y axis; equal values leave it to the data.
	Low, High  float64
	Spans      []Span // grey strips at the bottom
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
	Dashed bool
	Step   bool // the value holds until the next point
	X, Y   []float64
	Low    []float64
	High   []float64
}

// Bars is one value a category; NaN draws nothing. Low and High are the ends of
// the error bars.
type Bars struct {
	Label  string
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
	Z        []float64 // of panels with a third axis
}

// Solid says whether a panel has a third axis.
func (p Panel) Solid() bool { return p.Z != "" }

// Empty says whether there is nothing to be seen.
func (p Panel) Empty() bool { return len(p.Lines) == 0 && len(p.Bars) == 0 && len(p.Points) == 0 }
