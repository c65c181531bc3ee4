package draw

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const bandAlpha, pointAlpha = 0x20, 0xa0

// addSpans draws strips as high as the panel, and borders. Both come before
// everything else, so that no curve is covered.
func (p Panel) addSpans(q *plot.Plot) error {
	low, high := p.Low, p.High
	for _, s := range p.Spans {
		box, err := plotter.NewPolygon(plotter.XYs{{X: s.From, Y: low}, {X: s.To, Y: low}, {X: s.To, Y: high}, {X: s.From, Y: high}})
		if err != nil {
			return err
		}
		box.Color, box.LineStyle.Width = spanFill, 0
		q.Add(box)
	}
	q.Add(uprights(p.Borders))
	return nil
}

type uprights []float64

func (u uprights) Plot(c draw.Canvas, q *plot.Plot) {
	tx, _ := q.Transforms(&c)
	style := draw.LineStyle{Color: u.color(), Width: vg.Points(0.8), Dashes: []vg.Length{vg.Points(2), vg.Points(2)}}
	for _, x := range u {
		c.StrokeLine2(style, tx(x), c.Min.Y, tx(x), c.Max.Y)
	}
}

// fewBorders are drawn darker than more of them.
const fewBorders = 10

func (u uprights) color() color.NRGBA {
	if len(u) > fewBorders {
		return manyColor
	}
	return borderColor
}

var spanFill, borderColor, manyColor = color.NRGBA{0xe8, 0xe8, 0xe8, 0xff}, color.NRGBA{0x99, 0x99, 0x99, 0xff}, color.NRGBA{0xd4, 0xd4, 0xd4, 0xff}

func (p Panel) addLines(q *plot.Plot) error {
	for _, l := range p.Lines {
		if err := p.addBand(q, l); err != nil {
			return err
		}
	}
	for _, l := range p.Lines {
		line, err := plotter.NewLine(xys(l.X, l.Y))
		if err != nil {
			return err
		}
		line.LineStyle = l.style()
		if l.Step {
			line.StepStyle = plotter.PostStep
		}
		q.Add(line)
		if err := l.addMarks(q); err != nil {
			return err
		}
	}
	return nil
}

// addBand fills between the ends of a line's band, as far as the scores reach.
func (p Panel) addBand(q *plot.Plot, l Line) error {
	outline := p.outline(l)
	if outline == nil {
		return nil
	}
	band, err := plotter.NewPolygon(outline)
	if err != nil {
		return err
	}
	band.Color, band.LineStyle.Width = l.bandColor(), 0
	q.Add(band)
	return nil
}

// outline goes along the upper end of a line's band and back along the lower, as far
// as the scores reach; nil without a band.
func (p Panel) outline(l Line) (out plotter.XYs) {
	if len(l.Low) == 0 || l.Step {
		return nil
	}
	add := func(x, y float64) {
		if p.High > p.Low {
			y = min(max(y, p.Low), p.High)
		}
		out = append(out, plotter.XY{X: x, Y: y})
	}
	for i, x := range l.X {
		add(x, l.High[i])
	}
	for i, x := range slices.Backward(l.X) {
		add(x, l.Low[i])
	}
	return out
}

func (l Line) bandColor() color.NRGBA {
	c := l.Color
	c.A = bandAlpha
	return c
}

func xys(x, y []float64) plotter.XYs {
	out := make(plotter.XYs, len(x))
	for i := range x {
		out[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return out
}

func (p Panel) addPoints(q *plot.Plot) error {
	for _, s := range p.Points {
		cloud, err := plotter.NewScatter(xys(s.X, s.Y))
		if err != nil {
			return err
		}
		cloud.GlyphStyle = s.glyph()
		q.Add(cloud)
	}
	return nil
}

func (q Points) glyph() draw.GlyphStyle {
	c := q.Color
	if q.Triangle {
		return draw.GlyphStyle{Color: c, Radius: vg.Points(3.2), Shape: draw.PyramidGlyph{}}
	}
	c.A = pointAlpha
	return draw.GlyphStyle{Color: c, Radius: vg.Points(1.7), Shape: draw.CircleGlyph{}}
}

// addBars draws groups of bars, a group a category, with error bars.
func (p Panel) addBars(q *plot.Plot) error {
	if len(p.Bars) == 0 {
		return nil
	}
	q.Add(barGroups{p})
	labels := make([]string, len(p.Categories))
	for i, c := range p.Categories {
		labels[i] = c
		if len(p.Categories) > 4 && len(c) > 10 {
			labels[i] = strings.Replace(c, " ", "\n", 1)
		}
	}
	q.NominalX(labels...)
	q.X.Tick.Length = 0
	q.X.Min, q.X.Max = -0.5, float64(len(p.Categories))-0.5
	return nil
}

// barGroups draws the bars of a panel. plotter.BarChart has widths in points,
// which do not fit to panels of any size.
type barGroups struct{ Panel }

func (g barGroups) Plot(c draw.Canvas, q *plot.Plot) {
	tx, ty := q.Transforms(&c)
	wide := 0.8 / float64(len(g.Bars))
	for k, b := range g.Bars {
		for i, v := range b.Values {
			left := float64(i) - 0.4 + float64(k)*wide
			if math.IsNaN(v) {
				if !b.Paper {
					g.note(c, tx(left+wide/2), ty(0), notRun)
				}
				continue
			}
			if v < noHeight*(g.High-g.Low) && b.High[i] < noHeight*(g.High-g.Low) {
				g.note(c, tx(left+wide/2), ty(0), fmt.Sprintf("%.2f", v))
			}
			x0, x1, y0, y1 := tx(left+0.06*wide), tx(left+0.94*wide), ty(0), ty(v)
			c.FillPolygon(b.Color, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
			if b.Low[i] < b.High[i] {
				g.errorBar(c, tx(left+wide/2), ty(g.inside(b.Low[i])), ty(g.inside(b.High[i])))
			}
		}
	}
}

// notRun stands in place of a bar; a measured bar without height has its number.
const notRun = "not run"

// noHeight is the share of an axis that cannot be seen.
const noHeight = 0.005

// note writes a text upwards from the foot of a bar.
func (barGroups) note(c draw.Canvas, x, y vg.Length, words string) {
	style := textStyle(7)
	style.Color, style.Rotation = color.Gray{0x66}, math.Pi/2
	c.FillText(style, vg.Point{X: x, Y: y + vg.Points(3)}, words)
}

func (g barGroups) inside(y float64) float64 { return min(max(y, g.Low), max(g.High, g.Low)) }

func (barGroups) errorBar(c draw.Canvas, x, low, high vg.Length) {
	s := draw.LineStyle{Color: color.Gray{0x22}, Width: vg.Points(1)}
	end := vg.Points(2.5)
	c.StrokeLine2(s, x, low, x, high)
	c.StrokeLine2(s, x-end, low, x+end, low)
	c.StrokeLine2(s, x-end, high, x+end, high)
}

func (g barGroups) DataRange() (xmin, xmax, ymin, ymax float64) {
	ymax = g.High
	for _, b := range g.Bars {
		for _, v := range b.Values {
			if !math.IsNaN(v) {
				ymax = max(ymax, v)
			}
		}
	}
	return -0.5, float64(len(g.Categories)) - 0.5, g.Low, ymax
}
