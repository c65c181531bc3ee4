package draw

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// scene draws a panel of three components. It places everything itself, because
// axes of a plot have scales of their own, and here all three have the same.
type scene struct{ Panel }

// Room for the names of the components beside the box.
const (
	sceneLeft   = 1.2 * vg.Centimeter
	sceneRight  = 1.5 * vg.Centimeter
	sceneBottom = 0.7 * vg.Centimeter
)

// Plot implements plot.Plotter.
func (s scene) Plot(c draw.Canvas, _ *plot.Plot) {
	r := roomOf(s.Points)
	place := r.fit(draw.Crop(c, sceneLeft, -sceneRight, sceneBottom, 0))
	for _, pane := range r.panes() {
		var outline []vg.Point
		for _, corner := range pane {
			outline = append(outline, place(corner))
		}
		c.FillPolygon(paneFill, outline)
		c.StrokeLines(draw.LineStyle{Color: paneEdge, Width: vg.Points(0.7)}, append(outline, outline[0]))
	}
	for _, q := range painted(s.Points) {
		for i := range q.X {
			c.DrawGlyph(q.glyph(), place(q.at(i)))
		}
	}
	s.names(c, r, place)
}

// DataRange implements plot.DataRanger; the axes are not shown.
func (scene) DataRange() (xmin, xmax, ymin, ymax float64) { return 0, 1, 0, 1 }

// The sides of the box.
var paneFill, paneEdge = color.NRGBA{0xf6, 0xf6, 0xf6, 0xff}, color.NRGBA{0xc4, 0xc4, 0xc4, 0xff}

// fit places the room in the middle of a canvas, as large as possible.
func (r room) fit(c draw.Canvas) func([3]float64) vg.Point {
	low, high := r.extent()
	size := c.Size()
	scale := min(float64(size.X)/(high.X-low.X), float64(size.Y)/(high.Y-low.Y))
	center := c.Center()
	return func(at [3]float64) vg.Point {
		x, y, _ := sight.see(at)
		return vg.Point{X: center.X + vg.Length(scale*(x-(low.X+high.X)/2)), Y: center.Y + vg.Length(scale*(y-(low.Y+high.Y)/2))}
	}
}

// names writes each component's beside its edge in front.
func (s scene) names(c draw.Canvas, r room, place func([3]float64) vg.Point) {
	edges := r.edges()
	style := textStyle(10)
	gap := vg.Points(4)
	style.XAlign, style.YAlign = draw.XRight, draw.YTop
	at := place(edges[0])
	c.FillText(style, vg.Point{X: at.X - gap, Y: at.Y - gap}, onTwoLines(s.X))
	style.XAlign = draw.XLeft
	at = place(edges[1])
	c.FillText(style, vg.Point{X: at.X + gap, Y: at.Y - gap}, onTwoLines(s.Y))
	style.XAlign, style.YAlign, style.Rotation = draw.XCenter, draw.YBottom, math.Pi/2
	at = place(edges[2])
	c.FillText(style, vg.Point{X: at.X - gap, Y: at.Y}, onTwoLines(s.Z))
}

// onTwoLines breaks before the share of a component.
func onTwoLines(name string) string { return strings.Replace(name, " (", "\n(", 1) }
