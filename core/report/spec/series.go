package spec

import (
	"macpro/core/metrics"
	"macpro/core/names"
	"macpro/core/report/read"
)

// Series is a measure that a run has at several places: at the ends of its tasks, or
// in the visits of tasks that it trained several times.
type Series struct {
	Name, Formula string
	Visits        bool // x counts visits from 1, else it is training steps
	Better        int  // as of a Measure
	// Of lists the values of a run in a test mode, with their places; NaN is undefined.
	Of func(s *read.Summary, mode string) (x, y []float64)
}

var series = []Series{
	{"dormant", "share of dormant units (Sokar et al., 2023)", false, -1, plasticity(func(p read.Plasticity) metrics.Number { return p.Dormant })},
	{"rank", "effective rank of phi's features (Kumar et al., 2021)", false, 1, plasticity(func(p read.Plasticity) metrics.Number { return p.Rank })},
	{"norm", "Euclidean norm of phi's parameters", false, 0, plasticity(func(p read.Plasticity) metrics.Number { return p.Norm })},
	{"drift", "Euclidean distance of phi from its parameters at the end of the task before", false, 0, plasticity(func(p read.Plasticity) metrics.Number { return p.Drift })},
	{"speed", "area under a task's curve in its k-th visit, mean over tasks", true, 1, visits(func(speed, _ []float64) []float64 { return speed })},
	{"speed/first", "the same divided by that of first visits", true, 1, visits(func(_, relative []float64) []float64 { return relative })},
}

// SeriesOf finds a series.
func SeriesOf(name string) (Series, error) {
	var known []string
	for _, s := range series {
		if s.Name == name {
			return s, nil
		}
		known = append(known, s.Name)
	}
	return Series{}, names.Unknown("series", name, known)
}

// plasticity makes a series of what is measured at the ends of tasks.
func plasticity(of func(read.Plasticity) metrics.Number) func(*read.Summary, string) (x, y []float64) {
	return func(s *read.Summary, _ string) (x, y []float64) {
		for _, p := range s.Plasticity {
			x, y = append(x, float64(p.T)), append(y, float64(of(p)))
		}
		return x, y
	}
}

// visits makes a series of metrics.LearningSpeed.
func visits(of func(speed, relative []float64) []float64) func(*read.Summary, string) (x, y []float64) {
	return func(s *read.Summary, mode string) (x, y []float64) {
		y = of(metrics.LearningSpeed(s.Tasks, s.Curves[mode], s.Spans()))
		for k := range y {
			x = append(x, float64(k+1))
		}
		return x, y
	}
}

// The parts of a run whose mean a column shows.
const (
	partFirst = "first"
	partLast  = "last"
)

// IsStart says whether a part is of the beginning of a run, where nothing is better.
func IsStart(part string) bool { return part == partFirst }

// PartFormula says what the parts of a column are.
const PartFormula = "first, last: mean over the first or the last tenth of the tasks with the measure, at least one"

// Part is the first or the last tenth of the tasks, at least one, of values that a run
// of so many tasks has; all of them for "".
func Part(part string, values []float64, tasks int) []float64 {
	n := min(max(1, tasks/10), len(values))
	switch part {
	case partFirst:
		return values[:n]
	case partLast:
		return values[len(values)-n:]
	}
	return values
}
