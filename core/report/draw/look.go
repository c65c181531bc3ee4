package draw

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"macpro/core/palette"
)

// Curves differ in dashes and marks as well as in colour, so that they can be told
// apart in grey and by readers with any kind of colour vision.

// mark is a shape in pictures and its name in charts.
type mark struct {
	shape  draw.GlyphDrawer
	symbol string
}

var marks = [Marks]mark{
	{draw.CircleGlyph{}, "circle"}, {draw.PyramidGlyph{}, "triangle"}, {draw.BoxGlyph{}, "rect"},
	{draw.RingGlyph{}, "emptyCircle"}, {draw.TriangleGlyph{}, "emptyTriangle"}, {draw.SquareGlyph{}, "emptyRect"}, {draw.CrossGlyph{}, "diamond"},
}

// Marks is the number of different marks.
const Marks = 7

const marksEach = 8

func (l Line) style() draw.LineStyle {
	s := draw.LineStyle{Color: l.Color, Width: vg.Points(1.6)}
	for _, d := range palette.Dashes(l.Dashes) {
		s.Dashes = append(s.Dashes, vg.Points(d))
	}
	return s
}

func (l Line) mark() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.Color, Radius: vg.Points(3), Shape: marks[l.Mark%len(marks)].shape}
}

// marked lists the points that carry a mark. Curves of one figure have them at
// places of their own.
func (l Line) marked() []int {
	if l.Step {
		return nil
	}
	by := max(1, len(l.X)/marksEach)
	var at []int
	for i := (by / 2 * (l.Mark % 4) / 2) % by; i < len(l.X); i += by {
		at = append(at, i)
	}
	return at
}

func (l Line) addMarks(q *plot.Plot) error {
	var at plotter.XYs
	for _, i := range l.marked() {
		at = append(at, plotter.XY{X: l.X[i], Y: l.Y[i]})
	}
	if len(at) == 0 {
		return nil
	}
	cloud, err := plotter.NewScatter(at)
	if err != nil {
		return err
	}
	cloud.GlyphStyle = l.mark()
	q.Add(cloud)
	return nil
}
