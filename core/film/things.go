package film

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"macpro/core"
	"macpro/core/palette"
)

// look is how a role is filled and lettered. Agents take the colors of their heads.
func (d *pen) look(t *core.Thing) (fill, ink color.NRGBA) {
	switch t.Role {
	case core.Goal:
		fill = palette.Yellow
	case core.Foe:
		fill = palette.White
	case core.Mate:
		fill = palette.Blue
		if t.Agent < len(d.frame.Heads) {
			fill = headColor(d.frame.Heads[t.Agent])
		}
	default:
		fill = palette.Silver
	}
	return fill, d.onTop(fill)
}

func (d *pen) thing(t *core.Thing) {
	at, r := d.at(t.X, t.Y), d.scale*vg.Length(t.HalfX)
	if t.Round && (t.Role == core.Mate || t.Role == core.Foe) {
		r = max(r, smallest)
	}
	fill, ink := d.look(t)
	switch {
	case t.Gone:
		d.fallen(at, r)
	case t.Role == core.Obstacle:
		d.SetColor(fill)
		d.Fill(d.shape(t))
	case t.Round:
		d.body(t, at, r, fill, ink)
	default:
		p := d.shape(t)
		d.SetColor(fill)
		d.Fill(p)
		d.outline(p, 1.5, palette.Black)
		d.letters(at, r, ink, t.Label)
	}
	if t.Role == core.Mate && !t.Gone {
		d.number(t, at, r)
	}
}

// smallest is the radius of agents and opponents that letters can be read in.
const smallest = 0.32 * vg.Centimeter

// shape is the outline of a thing, cut at the edge of the scene if it is no disc.
func (d *pen) shape(t *core.Thing) vg.Path {
	if t.Round {
		return circle(d.at(t.X, t.Y), d.scale*vg.Length(t.HalfX))
	}
	s := &d.frame.Scene
	within := func(x, low, high float64) float64 { return min(max(x, low), high) }
	return vg.Rectangle{
		Min: d.at(within(t.X-t.HalfX, s.Left, s.Right), within(t.Y-t.HalfY, s.Bottom, s.Top)),
		Max: d.at(within(t.X+t.HalfX, s.Left, s.Right), within(t.Y+t.HalfY, s.Bottom, s.Top)),
	}.Path()
}

// fallen marks where something lost its life.
func (d *pen) fallen(at vg.Point, r vg.Length) {
	r *= 0.6
	s := draw.LineStyle{Color: palette.Silver, Width: vg.Points(1.5)}
	d.StrokeLine2(s, at.X-r, at.Y-r, at.X+r, at.Y+r)
	d.StrokeLine2(s, at.X-r, at.Y+r, at.X+r, at.Y-r)
}

// body draws a round thing. Health is a ring within its edge that is green as far
// as it is there, and the shield one around it in light blue.
func (d *pen) body(t *core.Thing, at vg.Point, r vg.Length, fill, ink color.NRGBA) {
	const thick = 0.1 * vg.Centimeter
	edge := 1.0
	if t.Role == core.Foe {
		edge = 1.5
	}
	inner := r
	ring := func(share float64, c color.Color) {
		d.SetColor(palette.White)
		d.Fill(circle(at, inner))
		d.SetColor(c)
		d.Fill(sector(at, inner, share))
		d.outline(circle(at, inner), edge, palette.Black)
		inner, edge = inner-thick, 0.5
	}
	if t.Shield > 0 {
		ring(t.Shield, palette.Sky)
	}
	if t.Living {
		ring(t.Health, palette.Green)
	}
	d.SetColor(fill)
	d.Fill(circle(at, inner))
	d.outline(circle(at, inner), edge, palette.Black)
	label := t.Label
	if label == "" && t.Role == core.Mate {
		label = fmt.Sprint(t.Agent)
	}
	d.letters(at, inner, ink, label)
}

// number writes an agent's number beside it; without a label it stands within.
func (d *pen) number(t *core.Thing, at vg.Point, r vg.Length) {
	if t.Label != "" {
		d.text(at.X+0.8*r, at.Y+0.95*r, max(8, min(0.45*r.Points(), 12)), palette.Black, draw.XLeft, fmt.Sprint(t.Agent))
	}
}

// aim draws a line from a thing to what it aims at.
func (d *pen) aim(t *core.Thing) {
	if !t.Aims {
		return
	}
	a, b := d.at(t.X, t.Y), d.at(t.AimX, t.AimY)
	s := draw.LineStyle{Color: palette.Silver, Width: vg.Points(1)}
	if t.Role == core.Mate {
		s.Color, _ = d.look(t)
	} else {
		s.Dashes = []vg.Length{vg.Points(3), vg.Points(3)}
		s.Color = palette.Grey
	}
	d.StrokeLine2(s, a.X, a.Y, b.X, b.Y)
}

// sector is the part of a disc that begins on top and goes round with the clock.
func sector(at vg.Point, r vg.Length, share float64) vg.Path {
	var p vg.Path
	p.Move(at)
	p.Line(vg.Point{X: at.X, Y: at.Y + r})
	p.Arc(at, r, math.Pi/2, -2*math.Pi*min(max(share, 0), 1))
	p.Close()
	return p
}

func circle(at vg.Point, r vg.Length) vg.Path {
	var p vg.Path
	p.Move(vg.Point{X: at.X + r, Y: at.Y})
	p.Arc(at, r, 0, 2*math.Pi)
	p.Close()
	return p
}
