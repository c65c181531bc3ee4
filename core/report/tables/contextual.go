package tables

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"macpro/core/palette"
	"macpro/core/report/draw"
	"macpro/core/report/read"
	"macpro/core/report/spec"
)

// headColors are none of those of the curves beside contexts.
var headColors = []color.NRGBA{palette.Green, palette.Orange, palette.Sky, palette.Purple, palette.Olive, palette.Yellow, palette.Black, palette.Blue}

// headColor is the colour of a saved head; after the last comes the first again.
func headColor(head int) color.NRGBA { return headColors[head%len(headColors)] }

// contextFigure shows how contexts group and how heads are added: contexts of
// one run at three times, on two components, the number of heads, and curves.
func (b *builder) contextFigure(sp *spec.FigureSpec) []*draw.Figure {
	var shown *read.Summary
	for _, s := range b.runs {
		if sp.Where.Accepts(s, b.vars(s.Env)) && len(s.Latents) > 0 && (shown == nil || s.Seed < shown.Seed) {
			shown = s
		}
	}
	if shown == nil {
		return nil
	}
	in := b.vars(shown.Env)
	in.Sequence, in.Seed = shown.Sequence, strconv.FormatInt(shown.Seed, 10)
	f := &draw.Figure{Columns: sp.Columns, Title: in.Labels(sp.Title), Runs: []*read.Summary{shown}}
	for _, d := range pictures(shown) {
		f.Panels = append(f.Panels, contextPanel(d))
	}
	heads := draw.Panel{Title: "heads", X: stepsLabel, Y: "number of heads", Whole: true}
	curves := draw.Panel{Title: "average over seen tasks", X: stepsLabel, Y: "average score", High: 1}
	for _, c := range b.curves(sp, in, func(s *read.Summary) bool {
		return s.Env == shown.Env && s.Sequence == shown.Sequence && slices.Equal(s.Tasks, shown.Tasks)
	}) {
		f.Runs = append(f.Runs, c.runs...)
		l := c.styled(b.line(c.group, end(c.runs), (*read.Summary).Average))
		curves.Lines = append(curves.Lines, l)
		if n := b.line(c.group, end(c.runs), headsAt); len(n.X) > 0 {
			n.Color, n.Dashes, n.Mark, n.Step = l.Color, l.Dashes, l.Mark, true
			heads.Lines = append(heads.Lines, n)
		}
	}
	f.Panels = append(f.Panels, heads, curves)
	return []*draw.Figure{f}
}

// headsAt is the number of heads at a time, NaN before the first.
func headsAt(s *read.Summary, _ string, t int64) float64 {
	n := math.NaN()
	for _, h := range s.Heads {
		if h.T <= t {
			n = float64(h.Heads)
		}
	}
	return n
}

// pictures picks the contexts at the starts of the third and the sixth task and at
// the end, as the paper does, or three others if a run lacks any of these.
func pictures(s *read.Summary) []read.Dump {
	var out []read.Dump
	for _, task := range []int{2, 5} {
		i := slices.IndexFunc(s.Latents, func(d read.Dump) bool {
			return d.When == "task_start" && task < len(s.Starts) && d.T == s.Starts[task]
		})
		if i < 0 {
			return threeOf(s.Latents)
		}
		out = append(out, s.Latents[i])
	}
	return append(out, s.Latents[len(s.Latents)-1])
}

func threeOf(d []read.Dump) []read.Dump {
	if len(d) <= 3 {
		return d
	}
	return []read.Dump{d[0], d[len(d)/2], d[len(d)-1]}
}

// contextPanel shows a dump on its first two components.
func contextPanel(d read.Dump) draw.Panel {
	p := draw.Panel{Title: fmt.Sprintf("step %s", draw.Steps(float64(d.T)))}
	for i, axis := range []*string{&p.X, &p.Y} {
		*axis = fmt.Sprintf("component %d", i+1)
		if i < len(d.Explained) {
			*axis += fmt.Sprintf(" (%s)", percent(d.Explained[i]))
		}
	}
	for _, local := range []bool{true, false} { // g on top
		for _, head := range headsOf(d) {
			q := draw.Points{Label: fmt.Sprintf("head %d", head), Color: headColor(head), Triangle: !local}
			for _, l := range d.Points {
				if l.Head == head && (l.Agent >= 0) == local {
					q.X, q.Y = append(q.X, l.At[0]), append(q.Y, l.At[1])
				}
			}
			if len(q.X) > 0 {
				p.Points = append(p.Points, q)
			}
		}
	}
	return p
}

func headsOf(d read.Dump) []int {
	var out []int
	for _, l := range d.Points {
		if l.Head >= 0 && !slices.Contains(out, l.Head) {
			out = append(out, l.Head)
		}
	}
	slices.Sort(out)
	return out
}

// percent prints a share, close to its ends with a digit more.
func percent(share float64) string {
	x := 100 * share
	switch {
	case x < 0.1:
		return "< 0.1 %"
	case x < 1, x > 99 && x < 99.95:
		return fmt.Sprintf("%.1f %%", x)
	}
	return fmt.Sprintf("%.0f %%", x)
}
