// Package stats holds the statistics of scores over runs: interquartile mean,
// performance profile, bootstrap intervals and the probability of improvement of Agarwal et al., "Deep
// Reinforcement Learning at the Edge of the Statistical Precipice" (NeurIPS 2021).
//
// A bootstrap draws whole runs with replacement. The paper draws the runs of every
// task on its own, which suits tasks that were trained apart; the scores of one
// sequence of tasks depend on each other.
package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"macpro/core/metrics"
	"macpro/core/rng"
)

// Interval is a confidence interval.
type Interval struct {
	Low  metrics.Number `json:"low"`
	High metrics.Number `json:"high"`
}

// Undefined is the interval of no values.
func Undefined() Interval {
	return Interval{metrics.Number(math.NaN()), metrics.Number(math.NaN())}
}

// Scores is a matrix [runs][tasks].
type Scores [][]float64

// Column is the scores of one task, [runs][1].
func (s Scores) Column(i int) Scores {
	out := make(Scores, len(s))
	for j := range s {
		out[j] = s[j][i : i+1]
	}
	return out
}

// Defined leaves out the runs without scores and those with a NaN.
func (s Scores) Defined() Scores {
	return slices.DeleteFunc(slices.Clone(s), func(x []float64) bool {
		return len(x) == 0 || slices.ContainsFunc(x, math.IsNaN)
	})
}

// Flat lists all scores.
func (s Scores) Flat() []float64 { return slices.Concat(s...) }

// Trimmed is the interquartile mean: the mean without the lowest and the highest
// quarter, each rounded down to whole values (SciPy's trim_mean at 0.25). For
// fewer than four values it is the mean. NaN for no values.
func Trimmed(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	cut := len(s) / 4
	return metrics.Mean(s[cut : len(s)-cut])
}

// value is one score and the run that it is of.
type value struct {
	x   float64
	run int
}

// Statistic is a number of scores in which every run counts as often as weight
// says. The values are sorted; total is the number that counts.
type Statistic func(sorted []value, weight []int, total int) float64

// Mean is the mean over all runs and tasks.
func Mean(sorted []value, weight []int, total int) float64 {
	return between(sorted, weight, 0, total)
}

// IQM is the interquartile mean over all runs and tasks together, see Trimmed.
func IQM(sorted []value, weight []int, total int) float64 {
	return between(sorted, weight, total/4, total-total/4)
}

// Above is the share of scores above tau: over all tau it is the performance
// profile of Agarwal et al., 1/(N M) sum_ij [x_ij > tau].
func Above(tau float64) Statistic {
	return func(sorted []value, weight []int, total int) float64 {
		n := 0
		for _, v := range slices.Backward(sorted) {
			if v.x <= tau {
				break
			}
			n += weight[v.run]
		}
		return float64(n) / float64(total)
	}
}

// Of is a statistic of scores as they are. NaN for no values.
func (s Scores) Of(of Statistic) float64 {
	sorted := s.sorted()
	if len(sorted) == 0 {
		return math.NaN()
	}
	return of(sorted, ones(len(s)), len(sorted))
}

// between is the mean of the counted values from the low-th to before the high-th.
func between(sorted []value, weight []int, low, high int) float64 {
	sum, at := 0.0, 0
	for _, v := range sorted {
		if at >= high {
			break
		}
		next := at + weight[v.run]
		if n := min(next, high) - max(at, low); n > 0 {
			sum += float64(n) * v.x
		}
		at = next
	}
	return sum / float64(high-low)
}

func (s Scores) sorted() []value {
	var out []value
	for i, tasks := range s {
		for _, x := range tasks {
			out = append(out, value{x, i})
		}
	}
	slices.SortStableFunc(out, func(a, b value) int { return cmp.Compare(a.x, b.x) })
	return out
}

// draw chooses as many runs as there are, with replacement.
func draw(weight []int, r *rng.Stream) {
	clear(weight)
	for range weight {
		weight[r.Intn(len(weight))]++
	}
}

// Resamples of an interval that stands in a table.
const Resamples = 10000

// Source makes the intervals of tables and figures a function of the scores alone.
var Source = rng.New(0).Child("report", "bootstrap")

// Bootstrap returns the 95 % percentile interval of a statistic over reps draws of
// whole runs. All runs have the same tasks. The draws depend on the source alone,
// so equal scores give equal intervals. Without runs or tasks both ends are NaN.
func Bootstrap(s Scores, of Statistic, reps int, src rng.Source) Interval {
	sorted := s.sorted()
	if len(sorted) == 0 {
		return Undefined()
	}
	r, weight := src.Stream(), make([]int, len(s))
	x := make([]float64, reps)
	for i := range x {
		draw(weight, r)
		x[i] = of(sorted, weight, len(sorted))
	}
	return percentiles(x)
}

// Student is the 95 % interval of the mean of normal values by Student's t. It is as
// wide as few values ask for. NaN for fewer than two values.
func Student(x []float64) Interval {
	n := float64(len(x))
	if n < 2 {
		return Undefined()
	}
	mean := metrics.Mean(x)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	half := t * metrics.Std(x) / math.Sqrt(n-1) // Std divides by n
	return Interval{metrics.Number(mean - half), metrics.Number(mean + half)}
}

// Improvement is the probability that a run of x beats one of y on a task,
// P(X>Y) = 1/M sum_t 1/(|x||y|) sum_ij [x_it > y_jt] + [x_it = y_jt]/2, the mean
// over tasks of the Mann-Whitney statistic. Both need the same tasks.
func Improvement(x, y Scores) float64 {
	return newDuel(x, y).improvement(ones(len(x)), ones(len(y)))
}

// BootstrapImprovement is the 95 % interval of Improvement when whole runs of both
// are drawn.
func BootstrapImprovement(x, y Scores, reps int, src rng.Source) Interval {
	rx, ry := src.Child("x").Stream(), src.Child("y").Stream()
	d, wx, wy := newDuel(x, y), make([]int, len(x)), make([]int, len(y))
	p := make([]float64, reps)
	for i := range p {
		draw(wx, rx)
		draw(wy, ry)
		p[i] = d.improvement(wx, wy)
	}
	return percentiles(p)
}

func ones(n int) []int { return slices.Repeat([]int{1}, n) }

// duel is the sorted scores of two sets of runs, by task.
type duel struct{ x, y [][]value }

func newDuel(x, y Scores) duel {
	var d duel
	for t := range x[0] {
		d.x, d.y = append(d.x, x.Column(t).sorted()), append(d.y, y.Column(t).sorted())
	}
	return d
}

// improvement walks up the values of both sides. Weights add up to the number of
// runs.
func (d duel) improvement(wx, wy []int) float64 {
	sum := 0.0
	for t, x := range d.x {
		y, below := d.y[t], 0
		for i := 0; i < len(x); {
			v, here, equal := x[i].x, 0, 0
			for ; i < len(x) && x[i].x == v; i++ {
				here += wx[x[i].run]
			}
			for ; len(y) > 0 && y[0].x < v; y = y[1:] {
				below += wy[y[0].run]
			}
			for j := 0; j < len(y) && y[j].x == v; j++ {
				equal += wy[y[j].run]
			}
			sum += float64(here) * (float64(below) + float64(equal)/2)
		}
	}
	return sum / float64(len(wx)*len(wy)*len(d.x))
}

// percentiles sorts x and returns its 2.5th and 97.5th percentile.
func percentiles(x []float64) Interval {
	slices.Sort(x)
	return Interval{metrics.Number(percentile(x, 0.025)), metrics.Number(percentile(x, 0.975))}
}

// percentile interpolates between the order statistics of sorted values, as
// NumPy does.
func percentile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
