package film

import (
	"cmp"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"macpro/core"
	"macpro/core/palette"
)

// sign is an entry of the legend: what a role looks like and what it is.
type sign struct {
	thing core.Thing
	words string
}

// Sizes of the legend.
const (
	signHeight = 0.65 * vg.Centimeter
	signSize   = 9 // points
	signRoom   = 0.7 * vg.Centimeter
)

// usual are the words for roles that a scene does not name.
var usual = [4]string{core.Obstacle: "obstacle", core.Goal: "goal", core.Mate: "agent with its number", core.Foe: "opponent"}

func (r *Reel) signs() []sign {
	var seen [4]bool
	var out []sign
	health, shield := false, false
	for i := range r.Frames {
		s := &r.Frames[i].Scene
		for _, t := range s.Things {
			health, shield = health || t.Living, shield || t.Shield > 0
			if seen[t.Role] || t.Gone {
				continue
			}
			seen[t.Role] = true
			out = append(out, sign{core.Thing{Role: t.Role, Round: t.Round}, cmp.Or(s.Words[t.Role], usual[t.Role])})
		}
	}
	if health {
		out = append(out, sign{core.Thing{Role: core.Foe, Round: true, Living: true, Health: 0.7}, "green: health"})
	}
	if shield {
		out = append(out, sign{core.Thing{Role: core.Foe, Round: true, Shield: 0.7}, "blue: shield"})
	}
	return out
}

func (s sign) width() vg.Length {
	return signRoom + text(signSize, palette.Black, draw.XLeft).Width(s.words) + 0.4*vg.Centimeter
}

func wrap(signs []sign, width vg.Length) [][]sign {
	var out [][]sign
	used := vg.Length(0)
	for _, s := range signs {
		if len(out) == 0 || used+s.width() > width {
			out, used = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], s)
		used += s.width()
	}
	return out
}

// legend draws the lines below a height, the first on top.
func (d *pen) legend(left, top vg.Length, lines [][]sign) {
	const r = 0.22 * vg.Centimeter
	for i, line := range lines {
		x, y := left, top-signHeight*(vg.Length(i)+0.5)
		for _, s := range line {
			at := vg.Point{X: x + r, Y: y}
			fill, ink := d.look(&s.thing)
			switch {
			case s.thing.Round && s.thing.Role == core.Obstacle:
				d.SetColor(fill)
				d.Fill(circle(at, r))
			case s.thing.Round:
				d.body(&s.thing, at, r, fill, ink)
			default:
				d.rectangle(vg.Rectangle{Min: vg.Point{X: x, Y: y - r}, Max: vg.Point{X: x + 2*r, Y: y + r}}, fill)
			}
			d.text(x+signRoom, y, signSize, palette.Black, draw.XLeft, s.words)
			x += s.width()
		}
	}
}

// fitted writes a line in letters as large as the width allows.
func (d *pen) fitted(x, y, width vg.Length, words string) {
	size := 11.0
	if w := text(size, palette.Black, draw.XLeft).Width(words); w > width {
		size *= float64(width / w)
	}
	d.text(x, y, size, palette.Black, draw.XLeft, words)
}
