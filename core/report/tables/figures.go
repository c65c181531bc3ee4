package tables

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"macpro/core/metrics"
	"macpro/core/names"
	"macpro/core/palette"
	"macpro/core/record"
	"macpro/core/report/alike"
	"macpro/core/report/draw"
	"macpro/core/report/format"
	"macpro/core/report/read"
	"macpro/core/report/spec"
	"macpro/core/report/stats"
)

// curvePoints is the number of points that a drawn curve has.
const curvePoints = 160

// curveResamples of an interval at one point of a curve.
const curveResamples = 1000

// Draw makes the figures of a kind. Its errors are those of Build.
func Draw(kind string, set *read.Set, o Options) ([]*draw.Figure, error) {
	b, err := newBuilder(set, o)
	if err != nil {
		return nil, err
	}
	sp := b.lib.Figure(kind)
	if sp == nil {
		return nil, names.Unknown("figure", kind, b.lib.FigureKinds())
	}
	var drawn []*draw.Figure
	switch sp.Draw {
	case "average":
		drawn = b.averageFigures(sp)
	case "tasks":
		drawn = b.taskFigures(sp)
	case "profiles":
		drawn = b.profileFigures(sp)
	case "contexts":
		drawn = b.contextFigure(sp)
	case "series":
		drawn = b.seriesFigures(sp)
	default:
		drawn = b.tableFigure(sp)
	}
	return b.finishFigures(kind, drawn)
}

// finishFigures leaves out empty panels and checks the runs as tables do.
func (b *builder) finishFigures(kind string, drawn []*draw.Figure) ([]*draw.Figure, error) {
	var out []*draw.Figure
	var used []*read.Summary
	for _, f := range drawn {
		f.Panels = slices.DeleteFunc(f.Panels, draw.Panel.Empty)
		if len(f.Panels) > 0 {
			out, used = append(out, f), append(used, f.Runs...)
		}
	}
	if len(out) == 0 {
		return nil, b.none("the figure "+kind, b.lib.Figure(kind).Needs)
	}
	if err := b.mixed(used); err != nil {
		return nil, err
	}
	for _, f := range out {
		f.Foot = append(f.Foot, b.caption(f)...)
	}
	return out, nil
}

// line averages a measure of time over runs at common times from 0 to to; runs without a
// value at some time do not count there.
func (b *builder) line(g group, to int64, of func(s *read.Summary, mode string, t int64) float64) draw.Line {
	l := draw.Line{Label: g.label}
	for i := range curvePoints + 1 {
		t := to * int64(i) / curvePoints
		var s stats.Scores
		for k, run := range g.runs {
			if x := of(run, g.modes[k], t); !math.IsNaN(x) {
				s = append(s, []float64{x})
			}
		}
		if len(s) == 0 {
			continue
		}
		mid, low, high := b.band(s)
		l.X, l.Y = append(l.X, float64(t)), append(l.Y, mid)
		l.Low, l.High = append(l.Low, low), append(l.High, high)
	}
	return l
}

// band is the middle of some scores with the ends of its band.
func (b *builder) band(s stats.Scores) (mid, low, high float64) {
	if b.o.Stats == format.StatsIQM {
		i := stats.Bootstrap(s, stats.IQM, curveResamples, stats.Source)
		return stats.Trimmed(s.Flat()), float64(i.Low), float64(i.High)
	}
	mean, std := metrics.Mean(s.Flat()), metrics.Std(s.Flat())
	return mean, mean - std, mean + std
}

func end(runs []*read.Summary) int64 {
	t := int64(0)
	for _, s := range runs {
		t = max(t, s.TEnv)
	}
	return t
}

// curve is an item of a figure with its runs.
type curve struct {
	entry
	group
	color color.NRGBA
	place int // in the list of items
}

// curves lists the items of a figure that have runs among those that accept takes.
func (b *builder) curves(sp *spec.FigureSpec, in spec.Vars, accept func(*read.Summary) bool) []curve {
	var out []curve
	items := distinctDashes(bind(b.list(sp.Lines), in))
	for i, e := range items {
		g := b.group(e.Label, func(s *read.Summary) (string, bool) {
			if !accept(s) {
				return "", false
			}
			return e.match(s)
		})
		if len(g.runs) > 0 {
			out = append(out, curve{e, g, e.Tint(), i})
		}
	}
	return out
}

// distinctDashes gives items that stand in no list dashes that no other item with
// their mark has, as far as there are enough.
func distinctDashes(items []entry) []entry {
	for i := range items {
		if !items[i].rest || items[i].Dashes != "" {
			continue
		}
		taken := func(dashes string) bool {
			for k := i - draw.Marks; k >= 0; k -= draw.Marks {
				if cmp.Or(items[k].Dashes, palette.DashesAt(0)) == dashes {
					return true
				}
			}
			return false
		}
		for try := range palette.KnownDashes() {
			if items[i].Dashes = palette.DashesAt(i + try); !taken(items[i].Dashes) {
				break
			}
		}
	}
	return items
}

func (c curve) styled(l draw.Line) draw.Line {
	l.Color, l.Dashes, l.Mark = c.color, c.Dashes, c.place
	return l
}

const stepsLabel = "training steps"

func (b *builder) averageFigures(sp *spec.FigureSpec) []*draw.Figure {
	return b.sheets(sp, func(v view) draw.Panel {
		p := draw.Panel{X: stepsLabel, Y: "average score", High: 1}
		for _, c := range v.curves {
			p.Lines = append(p.Lines, c.styled(b.line(c.group, end(c.runs), (*read.Summary).Average)))
		}
		p.Borders, p.Apart = borders(v.runs(), v.in.Env)
		return p
	})
}

const mostBorders = 30

// borders are the steps at which the second and later tasks of an environment
// begin; of many only every tenth. apart is the number of tasks from one to the next. nil
// if the runs do not agree. Tasks end with an episode, so that runs of one
// budget differ by a few steps.
func borders(runs []*read.Summary, env string) (at []float64, apart int) {
	var starts []int64
	for _, s := range runs {
		switch {
		case s.Env != env || len(s.Starts) == 0:
		case starts == nil:
			starts = s.Starts
		case !slices.EqualFunc(starts, s.Starts, func(a, b int64) bool { return max(a, b)-min(a, b) <= s.TEnv/100 }):
			return nil, 0
		}
	}
	apart = 1
	for len(starts) > mostBorders*apart {
		apart *= 10
	}
	for i := apart; i < len(starts); i += apart {
		at = append(at, float64(starts[i]))
	}
	return at, apart
}

// taskFigures draws, for every environment or family, a panel for every task: its
// score from the start of its training on.
func (b *builder) taskFigures(sp *spec.FigureSpec) []*draw.Figure {
	var out []*draw.Figure
	for _, v := range b.views(sp) {
		f := &draw.Figure{Title: v.in.Labels(sp.Title), Columns: sp.Columns, Foot: v.foot}
		if len(v.curves) > 0 {
			labels := record.Labels(v.curves[0].runs[0].Tasks)
			for _, i := range shownTasks(len(labels)) {
				f.Panels = append(f.Panels, b.taskPanel(f, v.curves, i, labels[i]))
			}
		}
		out = append(out, f)
	}
	return out
}

const mostPanels = 12

// shownTasks are the indices of the tasks that have a panel: all, or of many the first,
// the last and others at equal distances.
func shownTasks(n int) []int {
	out := make([]int, min(n, mostPanels))
	for k := range out {
		out[k] = k
		if n > mostPanels {
			out[k] = k * (n - 1) / (mostPanels - 1)
		}
	}
	return out
}

func (b *builder) taskPanel(f *draw.Figure, curves []curve, i int, task string) draw.Panel {
	p := draw.Panel{Title: fmt.Sprintf("task %d: %s", i+1, task), X: stepsLabel, Y: "score", High: 1}
	for _, c := range curves {
		first := c.runs[0]
		if i >= len(first.Starts) || i >= len(first.Ends) {
			continue
		}
		p.Spans = []draw.Span{{From: float64(first.Starts[i]), To: float64(first.Ends[i])}}
		p.Lines = append(p.Lines, c.styled(b.line(c.group, end(c.runs), func(s *read.Summary, mode string, t int64) float64 {
			if i >= len(s.Starts) || t < s.Starts[i] || i >= len(s.Curves[mode]) {
				return math.NaN()
			}
			return s.Curves[mode][i].At(t)
		})))
		f.Runs = append(f.Runs, c.runs...)
	}
	return p
}

// ProgressFigure draws A(t) of every single run, finished or not. Runs of one label
// share a colour, dashes and marks.
func ProgressFigure(lib *spec.Library, runs []*read.Summary, called map[*read.Summary]alike.Called) *draw.Figure {
	f := &draw.Figure{Title: "Every run: average over the tasks seen so far"}
	for _, env := range lib.Envs(runs) {
		p := draw.Panel{Title: lib.EnvLabel(env), X: stepsLabel, Y: "average score", High: 1}
		var labels []string
		for _, s := range runs {
			if s.Env != env || s.TEnv == 0 {
				continue
			}
			label := called[s].Label
			if !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
			place := slices.Index(labels, label)
			l := draw.Line{Label: called[s].Text(), Color: palette.Wheel(place), Dashes: palette.DashesAt(place), Mark: place}
			for k := range curvePoints + 1 {
				t := s.TEnv * int64(k) / curvePoints
				if y := s.Average(s.Own(), t); !math.IsNaN(y) {
					l.X, l.Y = append(l.X, float64(t)), append(l.Y, y)
				}
			}
			if len(l.X) > 0 {
				p.Lines = append(p.Lines, l)
			}
		}
		if !p.Empty() {
			f.Panels = append(f.Panels, p)
		}
	}
	return f
}

// distinct joins the different values among runs.
func distinct(runs []*read.Summary, of func(*read.Summary) string) string {
	var values []string
	for _, s := range runs {
		values = append(values, of(s))
	}
	slices.Sort(values)
	return strings.Join(slices.Compact(values), " and ")
}
