package film

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"macpro/core/names"
	"macpro/core/palette"
)

// dpi is the resolution of pictures made of pixels.
const dpi = 96

// Formats lists what a reel can be written as, which are extensions of files. A
// GIF holds all frames, a PNG or SVG one.
func Formats() []string { return []string{"gif", "png", "svg"} }

// Encode draws all frames: one file as gif, a file a frame as png or svg.
func (r *Reel) Encode(format string) ([][]byte, error) {
	if len(r.Frames) == 0 {
		return nil, errors.New("there is nothing to draw: no episode was played")
	}
	p := r.layout()
	w, h := p.size()
	switch format {
	case "gif":
		data, err := r.gif(p)
		return [][]byte{data}, err
	case "png", "svg":
		var files [][]byte
		for i := range r.Frames {
			var c interface {
				vg.CanvasSizer
				vg.CanvasWriterTo
			} = vgsvg.New(w, h)
			if format == "png" {
				c = vgimg.PngCanvas{Canvas: p.pixels()}
			}
			p.draw(draw.New(c), &r.Frames[i])
			var b bytes.Buffer
			if _, err := c.WriteTo(&b); err != nil {
				return nil, fmt.Errorf("picture %d: %w", i, err)
			}
			files = append(files, b.Bytes())
		}
		return files, nil
	}
	return nil, names.Unknown("format of pictures", format, Formats())
}

func (p picture) pixels() *vgimg.Canvas {
	w, h := p.size()
	return vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))
}

// pause is how long the last frame of an episode stays, in seconds.
const pause = 1.5

// gif draws all frames; of each but the first only the part that changes is kept.
func (r *Reel) gif(p picture) ([]byte, error) {
	out := gif.GIF{}
	colors := newQuantizer()
	var before *image.Paletted
	for i := range r.Frames {
		c := p.pixels()
		p.draw(draw.New(c), &r.Frames[i])
		now := colors.reduce(c.Image())
		part := now
		if before != nil {
			part = now.SubImage(changed(before, now)).(*image.Paletted)
		}
		delay := 1 / r.Rate
		if r.Frames[i].Last {
			delay = max(delay, pause)
		}
		out.Image = append(out.Image, part)
		out.Delay = append(out.Delay, max(2, int(100*delay+0.5)))
		out.Disposal = append(out.Disposal, gif.DisposalNone)
		before = now
	}
	var b bytes.Buffer
	err := gif.EncodeAll(&b, &out)
	return b.Bytes(), err
}

// changed is the smallest rectangle outside of which two images agree; one pixel
// if they are equal.
func changed(a, b *image.Paletted) image.Rectangle {
	r := image.Rectangle{}
	for y := b.Rect.Min.Y; y < b.Rect.Max.Y; y++ {
		from := b.PixOffset(b.Rect.Min.X, y)
		for x := range b.Rect.Dx() {
			if a.Pix[from+x] != b.Pix[from+x] {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if r.Empty() {
		r = image.Rect(0, 0, 1, 1)
	}
	return r
}

// quantizer maps colors to a palette that holds every color of a film and its
// shades, which smooth edges consist of.
type quantizer struct {
	palette color.Palette
	known   map[color.RGBA]uint8
}

func newQuantizer() *quantizer {
	q := &quantizer{known: map[color.RGBA]uint8{}}
	for i := range 32 { // greys
		v := uint8(i * 255 / 31)
		q.palette = append(q.palette, color.RGBA{v, v, v, 255})
	}
	colors := []color.NRGBA{palette.Vermilion, palette.Blue, palette.Green, palette.Purple, palette.Orange, palette.Sky, palette.Yellow, palette.Olive}
	const shades = 12
	for _, c := range colors {
		for i := range shades {
			q.palette = append(q.palette, blend(c, palette.White, float64(i)/shades), blend(c, palette.Black, float64(i+1)/shades))
		}
	}
	return q
}

// blend is the color at t between a and b.
func blend(a, b color.NRGBA, t float64) color.RGBA {
	mix := func(x, y uint8) uint8 { return uint8(float64(x)*(1-t) + float64(y)*t + 0.5) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

func (q *quantizer) reduce(m image.Image) *image.Paletted {
	b := m.Bounds()
	out := image.NewPaletted(image.Rect(0, 0, b.Dx(), b.Dy()), q.palette)
	for y := range b.Dy() {
		for x := range b.Dx() {
			c := color.RGBAModel.Convert(m.At(b.Min.X+x, b.Min.Y+y)).(color.RGBA)
			i, ok := q.known[c]
			if !ok {
				i = uint8(q.palette.Index(c))
				q.known[c] = i
			}
			out.Pix[y*out.Stride+x] = i
		}
	}
	return out
}
