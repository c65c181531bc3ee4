// Package rank orders the configurations of a grid or a search by how well they did.
package rank

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

// Configuration is a configuration with its score over seeds.
type Configuration struct {
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

// ranked are the metrics; sign is -1 where less is better.
var ranked = []struct {
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

// Metrics lists the names for Configurations.
func Metrics() []string {
	var out []string
	for _, m := range ranked {
		out = append(out, m.name)
	}
	return out
}

// Configurations orders those of a set by a metric, the best first. Of equal ones
// those with fewer diverged runs come first, then those with more runs. Only finished
// runs count, except for the metric average. mode "" is each method's own.
func Configurations(set *read.Set, metric, mode string) ([]Configuration, error) {
	i := slices.Index(Metrics(), metric)
	if i < 0 {
		return nil, names.Unknown("metric", metric, Metrics())
	}
	m := ranked[i]
	runs, notes := set.Finished()
	if metric == average {
		runs, notes = set.Runs, nil
	}
	byGroup := map[string]*Configuration{}
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
			r = &Configuration{Group: s.GroupHash}
			byGroup[s.GroupHash] = r
		}
		r.Values, r.Steps = append(r.Values, v), max(r.Steps, s.TEnv)
		if s.Status == record.Diverged {
			r.Diverged++
		}
	}
	var out []Configuration
	for _, r := range byGroup {
		scores := make(stats.Scores, len(r.Values))
		for i, v := range r.Values {
			scores[i] = []float64{v}
		}
		r.Mean, r.Std = metrics.Mean(r.Values), metrics.Std(r.Values)
		r.Interval = stats.Bootstrap(scores, stats.Mean, stats.Resamples, stats.Source)
		out = append(out, *r)
	}
	if len(out) == 0 {
		return nil, &read.NoRunsError{What: "the metric " + metric, Notes: notes}
	}
	slices.SortFunc(out, func(a, b Configuration) int {
		return cmp.Or(cmp.Compare(m.sign*b.Mean, m.sign*a.Mean), cmp.Compare(a.Diverged, b.Diverged), cmp.Compare(len(b.Values), len(a.Values)), cmp.Compare(a.Group, b.Group))
	})
	return out, nil
}

// Tied counts the configurations that have the mean of the first. Means that differ
// by rounding only are equal.
func Tied(ranks []Configuration) int {
	i := slices.IndexFunc(ranks, func(c Configuration) bool { return math.Abs(c.Mean-ranks[0].Mean) > 1e-9 })
	if i < 0 {
		return len(ranks)
	}
	return i
}
