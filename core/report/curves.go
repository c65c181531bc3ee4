package report

import (
	"fmt"
	"math"
	"slices"

	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/report/stats"
)

// curvePoints is the number of points that a drawn curve has.
const curvePoints = 160

// curveResamples of an interval at one point of a curve.
const curveResamples = 1000

// line averages a measure of time over runs at common times; runs without a
// value at some time do not count there.
func (b *builder) line(g group, from, to int64, of func(s *Summary, mode string, t int64) float64) Line {
	l := Line{Label: g.label}
	for i := range curvePoints + 1 {
		t := from + (to-from)*int64(i)/curvePoints
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
	if b.o.Stats == StatsIQM {
		i := stats.Bootstrap(s, stats.IQM, curveResamples, bootstrapSource)
		return stats.Trimmed(s.Flat()), float64(i.Low), float64(i.High)
	}
	mean, std := metrics.Mean(s.Flat()), metrics.Std(s.Flat())
	return mean, mean - std, mean + std
}

// end is the latest step of some runs.
func end(runs []*Summary) int64 {
	t := int64(0)
	for _, s := range runs {
		t = max(t, s.TEnv)
	}
	return t
}

// averageLines are the curves A(t) of all methods among the accepted runs.
func (b *builder) averageLines(f *Figure, accept func(*Summary) bool) []Line {
	var lines []Line
	for _, m := range Methods(b.runs) {
		g := b.method(m, accept)
		if len(g.runs) == 0 {
			continue
		}
		l := b.line(g, 0, end(g.runs), (*Summary).Average)
		l.Color, l.Dashed = colorOf(m.Key), m.Key == "oracle" || m.Key == "random"
		lines = append(lines, l)
		f.Runs = append(f.Runs, g.runs...)
	}
	return lines
}

func (b *builder) mainFigure() ([]*Figure, error) {
	f := &Figure{Kind: "main", Title: "Average performance over the tasks seen so far, " + b.o.Learner, Columns: 2}
	for _, env := range envs(b.runs) {
		f.Panels = append(f.Panels, Panel{Title: EnvLabel(env), X: "training steps", Y: "average score", High: 1,
			Lines: b.averageLines(f, b.comparison(env, b.o.Learner))})
	}
	return []*Figure{f}, nil
}

// taskFigures draws, for every environment, a panel for every task: its score
// from the start of its training on.
func (b *builder) taskFigures() ([]*Figure, error) {
	var out []*Figure
	for _, env := range envs(b.runs) {
		accept := b.comparison(env, b.o.Learner)
		f := &Figure{Kind: "tasks", Title: fmt.Sprintf("Every task of %s, %s", EnvLabel(env), b.o.Learner), Columns: 3}
		for i, task := range record.Labels(b.tasksOf(accept)) {
			f.Panels = append(f.Panels, b.taskPanel(f, accept, i, task))
		}
		out = append(out, f)
	}
	return out, nil
}

func (b *builder) taskPanel(f *Figure, accept func(*Summary) bool, i int, task string) Panel {
	p := Panel{Title: fmt.Sprintf("task %d: %s", i+1, task), X: "training steps", Y: "score", High: 1}
	for _, m := range Methods(b.runs) {
		g := b.method(m, accept)
		g.runs, g.modes = slices.Clone(g.runs), slices.Clone(g.modes)
		if len(g.runs) == 0 {
			continue
		}
		first := g.runs[0]
		if i >= len(first.Starts) || i >= len(first.Ends) {
			continue
		}
		p.Spans = []Span{{float64(first.Starts[i]), float64(first.Ends[i])}}
		l := b.line(g, 0, end(g.runs), func(s *Summary, mode string, t int64) float64 {
			if i >= len(s.Starts) || t < s.Starts[i] || i >= len(s.Curves[mode]) {
				return math.NaN()
			}
			return s.Curves[mode][i].At(t)
		})
		l.Color, l.Dashed = colorOf(m.Key), m.Key == "oracle" || m.Key == "random"
		p.Lines = append(p.Lines, l)
		f.Runs = append(f.Runs, g.runs...)
	}
	return p
}
