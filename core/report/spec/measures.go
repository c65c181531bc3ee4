package spec

import (
	"math"
	"slices"

	"macpro/core/metrics"
	"macpro/core/names"
	"macpro/core/record"
	"macpro/core/report/read"
)

// Measure is a number, or one a task, of a run in a test mode.
type Measure struct {
	Name, Formula string
	Better        int // 1 if larger values are better, -1 if smaller are
	Of            func(x *Context, s *read.Summary, mode string) []float64
}

// Context is what a measure may need of its table.
type Context struct {
	Single map[string]float64 // area under the curve of tasks that were trained alone
	Task   string             // of unseen; "" is all
}

const finalFormula = "final average = 1/M sum_i R[M][i], the score on task i after the last of M tasks"

// measures by name. The first is that of columns that name none.
var measures = slices.Concat([]Measure{
	{"final", finalFormula, 1, func(_ *Context, s *read.Summary, mode string) []float64 { return s.FinalRow(mode) }},
	{"average", finalFormula, 1, of(func(m metrics.Summary) float64 { return float64(m.FinalAverage) })},
	{"BWT", "backward transfer, 1/(M-1) sum_{i<M} (R[M][i] - R[i][i])", 1, of(func(m metrics.Summary) float64 { return float64(m.BackwardTransfer) })},
	{"forgetting", "1/(M-1) sum_{i<M} (R[i][i] - R[M][i])", -1, of(func(m metrics.Summary) float64 { return float64(m.ForgettingGEM) })},
	{"forgetting/M", "the same as a mean over all M tasks (Continual World)", -1, of(func(m metrics.Summary) float64 { return float64(m.ForgettingCW) })},
	{"FWT0", "zero-shot forward transfer, 1/(M-1) sum_{i>1} (R[i-1][i] - R[0][i])", 1, of(func(m metrics.Summary) float64 { return float64(m.ForwardTransfer) })},
	{"AUC", "mean over tasks of the area under a task's curve while it is trained", 1, of(func(m metrics.Summary) float64 { return MeanNumber(m.Area) })},
	{"FT", "learning speed against single-task runs, mean of (AUC - AUC_ref)/(1 - AUC_ref)", 1, learningTransfer},
	{"best", "mean over tasks of the best score", 1, of(func(m metrics.Summary) float64 { return MeanNumber(m.Best) })},
	{"heads", "number of saved heads at the end", -1, finalHeads},
	{"speed_loss", "loss of learning speed over repeats, 1 - A_last/A_first: means over repeated tasks of the area under the curve in a task's last and first visit; negative: faster", -1, speedLoss},
	{"borders", "number of changes of the task", 0, border(func(b metrics.BorderSummary) float64 { return float64(b.Borders) })},
	{"found", "number of borders that the method has found by itself", 0, border(func(b metrics.BorderSummary) float64 { return float64(b.Found) })},
	{"delay", "transitions from a border to the first that was found before the next border, mean over borders", -1, border(metrics.BorderSummary.MeanDelay)},
	{"longest delay", "the longest of these delays", -1, border(metrics.BorderSummary.MaxDelay)},
	{"false alarms", "borders found in the first task, and after the first in any other", -1, border(func(b metrics.BorderSummary) float64 { return float64(b.FalseAlarms) })},
	{"missed", "borders without one that was found before the next border", -1, border(func(b metrics.BorderSummary) float64 { return float64(b.Missed) })},
	{UnseenMeasure, "", 1, unseenScores},
	{"learner MB", "10^6 bytes of the learner in the newest checkpoint: networks, saved heads, optimiser", 0, megabytes("learner")},
	{"method MB", "10^6 bytes of the method there: the buffer D, what it keeps of earlier tasks, networks of its own", 0, megabytes("method")},
	{"asked", "thousands of transitions of episodes that the method asked for, to recognise tasks and before tests", 0, asked},
	{"steps/s", "training transitions a second by the clock, tests included", 0, pace},
}, measuresOfSeries())

// measuresOfSeries are the series as measures, with a number for each of their places that has one.
func measuresOfSeries() (out []Measure) {
	for _, s := range series {
		out = append(out, Measure{s.Name, s.Formula, s.Better, func(_ *Context, r *read.Summary, mode string) []float64 {
			_, y := s.Of(r, mode)
			return slices.DeleteFunc(y, math.IsNaN)
		}})
	}
	return out
}

// UnseenMeasure is of runs that were tested on tasks that were never trained.
const UnseenMeasure = "unseen"

// MeasureOf finds a measure; "" is the first.
func MeasureOf(name string) (Measure, error) {
	if name == "" {
		return measures[0], nil
	}
	var known []string
	for _, m := range measures {
		if m.Name == name {
			return m, nil
		}
		known = append(known, m.Name)
	}
	return Measure{}, names.Unknown("measure", name, known)
}

// of makes a measure of the closing numbers; NaN is none.
func of(number func(metrics.Summary) float64) func(*Context, *read.Summary, string) []float64 {
	return func(_ *Context, s *read.Summary, mode string) []float64 {
		m, ok := s.Metrics[mode]
		if !ok {
			return nil
		}
		return defined(number(m))
	}
}

func defined(x float64) []float64 {
	if math.IsNaN(x) {
		return nil
	}
	return []float64{x}
}

// MeanNumber is a mean; NaN of nothing.
func MeanNumber(x []metrics.Number) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v)
	}
	return sum / float64(len(x))
}

// border makes a measure of the borders that a method has found.
func border(number func(metrics.BorderSummary) float64) func(*Context, *read.Summary, string) []float64 {
	return func(_ *Context, s *read.Summary, _ string) []float64 {
		return defined(number(metrics.Borders(s.Starts, s.Borders)))
	}
}

func finalHeads(_ *Context, s *read.Summary, _ string) []float64 {
	if len(s.Heads) == 0 {
		return nil
	}
	return []float64{float64(s.Heads[len(s.Heads)-1].Heads)}
}

// megabytes makes a measure of the size of a part of checkpoints.
func megabytes(part string) func(*Context, *read.Summary, string) []float64 {
	return func(_ *Context, s *read.Summary, _ string) []float64 {
		size, ok := s.Bytes[part]
		if !ok {
			return nil
		}
		return []float64{float64(size) / 1e6}
	}
}

func asked(_ *Context, s *read.Summary, _ string) []float64 {
	if s.Status != record.Done {
		return nil
	}
	sum := int64(0)
	for _, steps := range s.MethodSteps {
		sum += steps
	}
	return []float64{float64(sum) / 1000}
}

func pace(_ *Context, s *read.Summary, _ string) []float64 {
	if s.WallS <= 0 {
		return nil
	}
	return []float64{float64(s.TEnv) / s.WallS}
}

func speedLoss(_ *Context, s *read.Summary, mode string) []float64 { return defined(s.SpeedLoss(mode)) }

func learningTransfer(x *Context, s *read.Summary, mode string) []float64 {
	m, ok := s.Metrics[mode]
	if !ok {
		return nil
	}
	var ft []float64
	for i, task := range s.Tasks {
		ref, ok := x.Single[task]
		if !ok || i >= len(m.Area) {
			return nil
		}
		ft = append(ft, metrics.LearningTransfer(float64(m.Area[i]), ref))
	}
	return defined(metrics.MeanDefined(ft))
}

func unseenScores(x *Context, s *read.Summary, mode string) []float64 {
	tasks, scores := Unseen(s, mode)
	if x.Task == "" {
		return scores
	}
	if i := slices.Index(tasks, x.Task); i >= 0 {
		return scores[i : i+1]
	}
	return nil
}

// Unseen lists the scores of the evaluation on tasks that were never trained, in
// its order.
func Unseen(s *read.Summary, mode string) (tasks []string, scores []float64) {
	for _, e := range s.Evaluations {
		if e.Name != record.Generalization {
			continue
		}
		for _, t := range e.Tests {
			if t.Mode == mode && !slices.Contains(s.Tasks, t.Task) {
				tasks, scores = append(tasks, t.Task), append(scores, float64(t.Score))
			}
		}
		if len(tasks) > 0 {
			break // the evaluation that counts comes first
		}
	}
	return tasks, scores
}
