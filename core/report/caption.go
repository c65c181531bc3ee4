package report

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of the small text below a figure.
const (
	captionSize   = 8
	captionHeight = 0.42 * vg.Centimeter // of a line
)

// caption says what a figure shows apart from its legend: the meaning of bands,
// error bars, strips and boxes, the profile and the seeds.
func (b *builder) caption(f *Figure) []string {
	spread := "± population standard deviation over seeds"
	if b.o.Stats == StatsIQM {
		spread = "95 % bootstrap interval, drawn from whole runs, around the interquartile mean"
	}
	has := func(of func(Panel) bool) bool { return slices.ContainsFunc(f.Panels, of) }
	var out []string
	if has(func(p Panel) bool {
		return slices.ContainsFunc(p.Lines, func(l Line) bool { return !l.Step && wide(l.Low, l.High) })
	}) {
		out = append(out, "band: "+spread)
	}
	if has(func(p Panel) bool {
		return slices.ContainsFunc(p.Bars, func(b Bars) bool { return wide(b.Low, b.High) })
	}) {
		out = append(out, "error bars: "+spread)
	}
	if has(func(p Panel) bool { return len(p.Spans) > 0 }) {
		out = append(out, "grey strip at the bottom: the task's own training")
	}
	if has(Panel.solid) {
		out = append(out, "box: three principal components of g seen from one side, all on the same scale")
	}
	return append(out, fmt.Sprintf("profile %s, %s, %s", distinct(f.Runs, (*Summary).Profile), seedsOf(f.Runs), count(len(uniqueRuns(f.Runs)), "run")))
}

// wide says whether there is anything between the ends of a band or of error bars.
func wide(low, high []float64) bool {
	for i := range low {
		if low[i] < high[i] {
			return true
		}
	}
	return false
}

// seedsOf lists the different seeds of some runs.
func seedsOf(runs []*Summary) string {
	var seeds []int64
	for _, s := range runs {
		seeds = append(seeds, s.Seed)
	}
	slices.Sort(seeds)
	seeds = slices.Compact(seeds)
	text := strings.Trim(fmt.Sprint(seeds), "[]")
	if len(seeds) == 1 {
		return "seed " + text
	}
	return "seeds " + text
}

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

// drawCaption writes the lines centred at the bottom.
func drawCaption(c draw.Canvas, lines []string) {
	style := textStyle(captionSize)
	style.XAlign = draw.XCenter
	for i, line := range lines {
		y := c.Min.Y + gap/2 + vg.Length(len(lines)-i)*captionHeight - captionHeight/2
		c.FillText(style, vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: y}, line)
	}
}
