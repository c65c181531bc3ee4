package film

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"macpro/core"
	"macpro/core/palette"
)

// Sizes of a picture.
const (
	widest    = 20 * vg.Centimeter // of the scene
	tallest   = 14 * vg.Centimeter
	narrowest = 11 * vg.Centimeter // for the texts
	margin    = 0.4 * vg.Centimeter
	header    = 2 * vg.Centimeter   // for title, caption and actions
	footer    = 1.1 * vg.Centimeter // for heads
)

// picture is the layout that all frames of a reel share.
type picture struct {
	width, height vg.Length // of the scene
	headed        bool
	legend        [][]sign // by line
}

// layout finds the room that every scene of the reel can fill in one direction.
func (r *Reel) layout() picture {
	p := picture{width: narrowest, headed: r.headed()}
	for i := range r.Frames {
		s := &r.Frames[i].Scene
		aspect := vg.Length((s.Right - s.Left) / (s.Top - s.Bottom))
		w := min(widest, tallest*aspect)
		p.width, p.height = max(p.width, w), max(p.height, w/aspect)
	}
	p.legend = wrap(r.signs(), p.width)
	return p
}

func (p picture) size() (w, h vg.Length) {
	w, h = p.width+2*margin, p.height+header+margin
	if p.headed {
		h += footer
	}
	return w, h + vg.Length(len(p.legend))*signHeight
}

type pen struct {
	draw.Canvas
	frame *Frame
	scale vg.Length // of a unit of the scene
	x, y  vg.Length // of the scene's lower left corner
}

func (p picture) draw(c draw.Canvas, f *Frame) {
	s := &f.Scene
	w, h := s.Right-s.Left, s.Top-s.Bottom
	d := pen{Canvas: c, frame: f, scale: min(p.width/vg.Length(w), p.height/vg.Length(h))}
	d.x = c.Min.X + margin + (p.width-d.scale*vg.Length(w))/2
	below := c.Min.Y + vg.Length(len(p.legend))*signHeight
	bottom := below + margin
	if p.headed {
		bottom = below + footer
	}
	d.y = bottom + (p.height-d.scale*vg.Length(h))/2
	d.rectangle(c.Rectangle, palette.White)
	left := c.Min.X + margin
	d.text(left, c.Max.Y-0.45*vg.Centimeter, 13, palette.Black, draw.XLeft, f.Title)
	d.text(left, c.Max.Y-1*vg.Centimeter, 12, palette.Black, draw.XLeft, f.Caption)
	if f.Actions != nil {
		d.fitted(left, c.Max.Y-1.5*vg.Centimeter, p.width, "actions "+f.ActionsText())
	}
	if p.headed {
		d.heads(left, below+footer/2)
	}
	d.legend(left, below, p.legend)
	d.cells()
	for i := range s.Things {
		d.aim(&s.Things[i])
	}
	for i := range s.Things {
		d.thing(&s.Things[i])
	}
	d.edge()
}

// at is the place of a point of the scene.
func (d *pen) at(x, y float64) vg.Point {
	s := &d.frame.Scene
	return vg.Point{X: d.x + d.scale*vg.Length(x-s.Left), Y: d.y + d.scale*vg.Length(y-s.Bottom)}
}

func (d *pen) edge() {
	s := &d.frame.Scene
	d.outline(vg.Rectangle{Min: d.at(s.Left, s.Bottom), Max: d.at(s.Right, s.Top)}.Path(), 1, palette.Grey)
}

func (d *pen) cells() {
	s := &d.frame.Scene
	if !s.Board {
		return
	}
	line := draw.LineStyle{Color: palette.Silver, Width: vg.Points(0.75)}
	for x := s.Left + 1; x < s.Right; x++ {
		a, b := d.at(x, s.Bottom), d.at(x, s.Top)
		d.StrokeLine2(line, a.X, a.Y, b.X, b.Y)
	}
	for y := s.Bottom + 1; y < s.Top; y++ {
		a, b := d.at(s.Left, y), d.at(s.Right, y)
		d.StrokeLine2(line, a.X, a.Y, b.X, b.Y)
	}
}

// heads draws a chip with the head of every agent.
func (d *pen) heads(x, y vg.Length) {
	label := fmt.Sprintf("heads of agents 0 to %d", d.agents()-1)
	style := text(11, palette.Black, draw.XLeft)
	heads := d.frame.Heads
	if heads == nil {
		d.FillText(style, vg.Point{X: x, Y: y}, label+": not chosen yet")
		return
	}
	d.FillText(style, vg.Point{X: x, Y: y}, label)
	x += style.Width(label) + 0.6*vg.Centimeter
	step := min(0.8*vg.Centimeter, (d.Max.X-margin-x)/vg.Length(len(heads)))
	for i, h := range heads {
		d.disc(vg.Point{X: x + step*vg.Length(i), Y: y}, step*0.42, headColor(h), d.onTop(headColor(h)), headText(h))
	}
}

func (d *pen) agents() int {
	n := 0
	for _, t := range d.frame.Scene.Things {
		if t.Role == core.Mate {
			n = max(n, t.Agent+1)
		}
	}
	return n
}

// headColor is the color of a head everywhere in a film; blue is the live one's.
func headColor(h int32) color.NRGBA {
	if h == core.LiveHead {
		return palette.Blue
	}
	return palette.Wheel(int(h))
}

// onTop is the color of letters on another color: the one with more contrast.
func (d *pen) onTop(c color.NRGBA) color.NRGBA {
	if 299*int(c.R)+587*int(c.G)+114*int(c.B) > 150*1000 {
		return palette.Black
	}
	return palette.White
}

func (d *pen) rectangle(r vg.Rectangle, c color.Color) {
	d.SetColor(c)
	d.Fill(r.Path())
}

func (d *pen) outline(p vg.Path, points float64, c color.Color) {
	d.SetColor(c)
	d.SetLineWidth(vg.Points(points))
	d.Stroke(p)
}

// disc draws a filled circle with letters, if they have room.
func (d *pen) disc(at vg.Point, r vg.Length, fill, ink color.NRGBA, label string) {
	d.SetColor(fill)
	p := circle(at, r)
	d.Fill(p)
	d.outline(p, 1, palette.Black)
	d.letters(at, r, ink, label)
}

// letters writes a label of at most three letters into a thing of half-width r.
func (d *pen) letters(at vg.Point, r vg.Length, ink color.NRGBA, label string) {
	if size := min(1.25*r.Points(), 22); size >= 6 {
		if len(label) > 2 {
			size *= 0.7
		}
		d.text(at.X, at.Y, size, ink, draw.XCenter, label)
	}
}

func (d *pen) text(x, y vg.Length, size float64, ink color.Color, align draw.XAlignment, words string) {
	d.FillText(text(size, ink, align), vg.Point{X: x, Y: y}, words)
}

// text is the style of all letters.
func text(size float64, ink color.Color, align draw.XAlignment) draw.TextStyle {
	f := plot.DefaultFont
	f.Variant, f.Size = "Sans", vg.Points(size)
	return draw.TextStyle{Color: ink, Font: f, XAlign: align, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
}
