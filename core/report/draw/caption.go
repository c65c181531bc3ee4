package draw

import (
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of the small text below a figure.
const (
	captionSize   = 8
	captionHeight = 0.42 * vg.Centimeter // of a line
)

// captionLines breaks the foot into lines that fit a width.
func (f *Figure) captionLines(width vg.Length) []string {
	style := textStyle(captionSize)
	var out []string
	for _, word := range strings.Fields(strings.Join(f.Foot, "; ")) {
		if n := len(out); n > 0 && style.Width(out[n-1]+" "+word) <= width-2*gap {
			out[n-1] += " " + word
			continue
		}
		out = append(out, word)
	}
	return out
}

func drawCaption(c draw.Canvas, lines []string) {
	style := textStyle(captionSize)
	style.XAlign = draw.XCenter
	for i, line := range lines {
		y := c.Min.Y + gap/2 + vg.Length(len(lines)-i)*captionHeight - captionHeight/2
		c.FillText(style, vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: y}, line)
	}
}
