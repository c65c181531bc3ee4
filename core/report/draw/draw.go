package draw

import (
	"bytes"
	"fmt"
	"image/color"
	"path/filepath"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"macpro/core/names"
)

// Sizes of drawn figures.
const (
	panelWidth   = 9 * vg.Centimeter
	panelHeight  = 6.5 * vg.Centimeter
	singleWidth  = 18 * vg.Centimeter // of a panel that stands alone
	titleHeight  = 0.9 * vg.Centimeter
	legendHeight = 0.65 * vg.Centimeter
	gap          = 0.4 * vg.Centimeter
	pngDPI       = 160
)

// Formats lists the formats of figures, which are the extensions of files.
func Formats() []string { return []string{"png", "svg", "pdf"} }

// The same figure gives the same bytes.
func init() {
	fpdf.SetDefaultCatalogSort(true)
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
}

// Encode draws the figure as png, svg or pdf.
func (f *Figure) Encode(format string) ([]byte, error) {
	w, h := f.size()
	var c interface {
		vg.CanvasSizer
		vg.CanvasWriterTo
	}
	switch format {
	case "png":
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(pngDPI))}
	case "svg":
		c = vgsvg.New(w, h)
	case "pdf":
		c = vgpdf.New(w, h)
	default:
		return nil, names.Unknown("figure format", format, Formats())
	}
	if err := f.draw(draw.New(c)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return b.Bytes(), err
}

// Save writes figures to files, each by write. The second and later ones
// get a number before the extension.
func Save(write func(name string, data []byte) error, file string, figures []*Figure) ([]string, error) {
	ext := filepath.Ext(file)
	var written []string
	for i, f := range figures {
		name := file
		if i > 0 {
			name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(file, ext), i+1, ext)
		}
		data, err := f.Encode(strings.TrimPrefix(ext, "."))
		if err != nil {
			return written, err
		}
		if err := write(name, data); err != nil {
			return written, err
		}
		written = append(written, name)
	}
	return written, nil
}

// grid is the number of columns and rows of panels.
func (f *Figure) grid() (cols, rows int) {
	cols = max(1, min(f.Columns, len(f.Panels)))
	return cols, (len(f.Panels) + cols - 1) / cols
}

func (f *Figure) size() (w, h vg.Length) {
	cols, rows := f.grid()
	w = max(vg.Length(cols)*panelWidth, singleWidth)
	lines := len(wrap(f.legend(), w))
	foot := vg.Length(len(f.captionLines(w))) * captionHeight
	return w, titleHeight + vg.Length(rows)*panelHeight + vg.Length(lines)*legendHeight + foot + gap
}

func (f *Figure) draw(c draw.Canvas) error {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	title := textStyle(13)
	title.XAlign = draw.XCenter
	c.FillText(title, vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: c.Max.Y - titleHeight/2}, f.Title)

	width := c.Max.X - c.Min.X
	caption := f.captionLines(width)
	drawCaption(c, caption)
	c = draw.Crop(c, 0, 0, vg.Length(len(caption))*captionHeight, 0)
	legend := wrap(f.legend(), width)
	drawLegend(c, legend)

	cols, rows := f.grid()
	body := draw.Crop(c, 0, 0, vg.Length(len(legend))*legendHeight+gap, -titleHeight)
	tiles := draw.Tiles{Cols: cols, Rows: rows, PadX: gap, PadY: gap, PadLeft: gap, PadRight: gap}
	plots := make([][]*plot.Plot, rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, cols)
		for j := range plots[i] {
			if k := i*cols + j; k < len(f.Panels) {
				p, err := f.Panels[k].plot()
				if err != nil {
					return fmt.Errorf("panel %s: %w", f.Panels[k].Title, err)
				}
				plots[i][j] = p
			}
		}
	}
	for i, row := range plot.Align(plots, tiles, body) {
		for j, tile := range row {
			if plots[i][j] == nil {
				continue
			}
			plots[i][j].Draw(tile)
		}
	}
	return nil
}

// textStyle is that of all texts in figures, from their left end.
func textStyle(size float64) draw.TextStyle {
	t := plot.New().Title.TextStyle
	t.Font.Variant, t.Font.Size = "Sans", vg.Points(size)
	t.XAlign, t.YAlign = draw.XLeft, draw.YCenter
	return t
}

type entry struct {
	label  string
	color  color.NRGBA
	line   *Line // its look
	bar    bool
	circle bool
}

// legend lists what is drawn in any panel. Bars that are all of one thing need none:
// their axis has names.
func (f *Figure) legend() []entry {
	out := entries(f.Panels...)
	if len(out) == 1 && out[0].bar {
		return nil
	}
	return out
}

// entries lists what is drawn in any panel, once each.
func entries(panels ...Panel) []entry {
	var out []entry
	seen := map[string]bool{}
	add := func(e entry) {
		if !seen[e.label] {
			seen[e.label] = true
			out = append(out, e)
		}
	}
	for _, p := range panels {
		for _, b := range p.Bars {
			if b.drawn() {
				add(entry{label: b.Label, color: b.Color, bar: true})
			}
		}
		for _, q := range p.Points {
			add(entry{label: q.Label, color: q.Color, circle: true})
		}
		for i, l := range p.Lines {
			if l.drawn() {
				add(entry{label: l.Label, color: l.Color, line: &p.Lines[i]})
			}
		}
	}
	return out
}

func entryWidth(e entry) vg.Length {
	return 1.3*vg.Centimeter + textStyle(11).Width(e.label)
}

func wrap(entries []entry, width vg.Length) [][]entry {
	var out [][]entry
	used := vg.Length(0)
	for _, e := range entries {
		w := entryWidth(e)
		if len(out) == 0 || used+w > width-gap {
			out, used = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], e)
		used += w
	}
	return out
}

// drawLegend draws the lines centred at the bottom, the first on top.
func drawLegend(c draw.Canvas, lines [][]entry) {
	style := textStyle(11)
	y := c.Min.Y + gap/2 + vg.Length(len(lines))*legendHeight - legendHeight/2
	for _, line := range lines {
		total := vg.Length(0)
		for _, e := range line {
			total += entryWidth(e)
		}
		x := (c.Min.X + c.Max.X - total) / 2
		for _, e := range line {
			sample(c, e, x, y)
			c.FillText(style, vg.Point{X: x + 0.9*vg.Centimeter, Y: y}, e.label)
			x += entryWidth(e)
		}
		y -= legendHeight
	}
}

func sample(c draw.Canvas, e entry, x, y vg.Length) {
	const w, h = 0.75 * vg.Centimeter, 0.13 * vg.Centimeter
	switch {
	case e.bar:
		c.FillPolygon(e.color, []vg.Point{{X: x, Y: y - h}, {X: x + w, Y: y - h}, {X: x + w, Y: y + h}, {X: x, Y: y + h}})
	case e.circle:
		c.DrawGlyph(draw.GlyphStyle{Color: e.color, Radius: vg.Points(3.5), Shape: draw.CircleGlyph{}}, vg.Point{X: x + w/2, Y: y})
	default:
		c.StrokeLine2(e.line.style(), x, y, x+w, y)
		c.DrawGlyph(e.line.mark(), vg.Point{X: x + w/2, Y: y})
	}
}
