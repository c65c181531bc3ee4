package report

import (
	"math"
	"slices"

	"macpro/core/metrics"
	"macpro/core/rng"
)

// Interval is a confidence interval.
type Interval struct {
	Low  metrics.Number `json:"low"`
	High metrics.Number `json:"high"`
}

// IQM is the interquartile mean: the mean without the lowest and the highest
// quarter, each rounded down to whole values (SciPy's trim_mean at 0.25). For
// fewer than four values it is the mean. NaN for no values.
func IQM(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	cut := len(s) / 4
	return metrics.Mean(s[cut : len(s)-cut])
}

// Scores is a matrix [runs][tasks].
type Scores [][]float64

// flat lists all values.
func (s Scores) flat() []float64 { return slices.Concat(s...) }

// MeanOf is the mean over all runs and tasks.
func MeanOf(s Scores) float64 { return metrics.Mean(s.flat()) }

// IQMOf is the interquartile mean over all runs and tasks together.
func IQMOf(s Scores) float64 { return IQM(s.flat()) }

// resample draws runs with replacement, for every task on its own: the
// stratified bootstrap of Agarwal et al.
func (s Scores) resample(dst Scores, r *rng.Stream) {
	for t := range s[0] {
		for i := range s {
			dst[i][t] = s[r.Intn(len(s))][t]
		}
	}
}

func (s Scores) like() Scores {
	c := make(Scores, len(s))
	for i := range s {
		c[i] = slices.Clone(s[i])
	}
	return c
}

// Bootstrap returns the 95 % percentile interval of a statistic over reps
// stratified resamples. The draws depend on the source alone, so equal scores
// give equal intervals. Without runs or tasks both ends are NaN.
func Bootstrap(s Scores, stat func(Scores) float64, reps int, src rng.Source) Interval {
	if len(s) == 0 || len(s[0]) == 0 {
		return Interval{metrics.Number(math.NaN()), metrics.Number(math.NaN())}
	}
	r, c := src.Stream(), s.like()
	x := make([]float64, reps)
	for i := range x {
		s.resample(c, r)
		x[i] = stat(c)
	}
	return percentiles(x)
}

// Improvement is the probability that a run of x beats one of y on a task,
// P(X>Y) = 1/M sum_t 1/(|x||y|) sum_ij [x_it > y_jt] + [x_it = y_jt]/2, the mean
// over tasks of the Mann-Whitney statistic. Both need the same tasks.
func Improvement(x, y Scores) float64 {
	sum := 0.0
	for t := range x[0] {
		for i := range x {
			for j := range y {
				switch {
				case x[i][t] > y[j][t]:
					sum++
				case x[i][t] == y[j][t]:
					sum += 0.5
				}
			}
		}
	}
	return sum / float64(len(x)*len(y)*len(x[0]))
}

// BootstrapImprovement is the 95 % interval of Improvement when the runs of
// both are resampled.
func BootstrapImprovement(x, y Scores, reps int, src rng.Source) Interval {
	rx, ry := src.Child("x").Stream(), src.Child("y").Stream()
	cx, cy := x.like(), y.like()
	p := make([]float64, reps)
	for i := range p {
		x.resample(cx, rx)
		y.resample(cy, ry)
		p[i] = Improvement(cx, cy)
	}
	return percentiles(p)
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
