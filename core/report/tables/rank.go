package tables

import (
	"cmp"
	"math"
	"slices"

	"macpro/core/metrics"
	"macpro/core/names"
	"macpro/core/record"
	"macpro/core/report/read"
	"macpro/core/report/spec"
	"macpro/core/report/stats"
)

// Ranked is a configuration with its score over seeds.
type Ranked struct {
	Group    string // hash of the configuration without the seed
	Values   []float64
	Mean     float64
	Std      float64        // population standard deviation
	Interval stats.Interval // 95 %, bootstrap over seeds
	Steps    int64          // transitions of the longest run
	Diverged int            // runs whose numbers stopped being finite
}

// average is the name of A at the end of a run. Runs that are not done have it as
// well.
const average = "average"

// rankMetrics are what configurations can be ranked by; sign is -1 where less
// is better.
var rankMetrics = []struct {
	name string
	sign float64
	of   func(metrics.Summary) metrics.Number
}{
	{"final_average", 1, func(m metrics.Summary) metrics.Number { return m.FinalAverage }},
	{"bwt", 1, func(m metrics.Summary) metrics.Number { return m.BackwardTransfer }},
	{"forgetting", -1, func(m metrics.Summary) metrics.Number { return m.ForgettingGEM }},
	{"fwt0", 1, func(m metrics.Summary) metrics.Number { return m.ForwardTransfer }},
	{"auc", 1, func(m metrics.Summary) metrics.Number { return metrics.Number(spec.MeanNumber(m.Area)) }},
	{average, 1, nil},
}

// RankMetrics lists the names for Rank.
func RankMetrics() []string {
	var out []string
	for _, m := range rankMetrics {
		out = append(out, m.name)
	}
	return out
}

// Rank orders the configurations of a set by a metric, the best first. Of equal
// ones those with fewer diverged runs come first, then those with more runs. Only finished runs count, except for the metric
// average. mode "" is each method's own.
func Rank(set *read.Set, metric, mode string) ([]Ranked, error) {
	i := slices.Index(RankMetrics(), metric)
	if i < 0 {
		return nil, names.Unknown("metric", metric, RankMetrics())
	}
	m := rankMetrics[i]
	runs, notes := set.Finished()
	if metric == average {
		runs, notes = set.Runs, nil
	}
	byGroup := map[string]*Ranked{}
	for _, s := range runs {
		test := cmp.Or(mode, s.Own())
		v := s.Average(test, s.TEnv)
		if m.of != nil {
			v = math.NaN()
			if x, ok := s.Metrics[test]; ok {
				v = float64(m.of(x))
			}
		}
		if math.IsNaN(v) {
			continue
		}
		r := byGroup[s.GroupHash]
		if r == nil {
			r = &Ranked{Group: s.GroupHash}
			byGroup[s.GroupHash] = r
		}
		r.Values, r.Steps = append(r.Values, v), max(r.Steps, s.TEnv)
		if s.Status == record.Diverged {
			r.Diverged++
		}
	}
	var out []Ranked
	for _, r := range byGroup {
		scores := make(stats.Scores, len(r.Values))
		for i, v := range r.Values {
			scores[i] = []float64{v}
		}
		r.Mean, r.Std = metrics.Mean(r.Values), metrics.Std(r.Values)
		r.Interval = stats.Bootstrap(scores, stats.Mean, resamples, bootstrapSource)
		out = append(out, *r)
	}
	if len(out) == 0 {
		return nil, &NoRunsError{What: "the metric " + metric, Notes: notes}
	}
	slices.SortFunc(out, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(m.sign*b.Mean, m.sign*a.Mean), cmp.Compare(a.Diverged, b.Diverged), cmp.Compare(len(b.Values), len(a.Values)), cmp.Compare(a.Group, b.Group))
	})
	return out, nil
}
