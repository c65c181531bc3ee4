package spec

import (
	"cmp"
	"math"

	"macpro/core/metrics"
	"macpro/core/report/read"
)

// Value is a measure of a run in the test mode that shows an item: the mean if the
// measure has a number for each task. It is false if the run does not show the
// item or has no such number.
func (w When) Value(s *read.Summary, name string) (float64, bool, error) {
	m, err := MeasureOf(name)
	if err != nil {
		return 0, false, err
	}
	mode, ok := w.Mode(s, Vars{})
	if !ok {
		return 0, false, nil
	}
	x := metrics.Mean(m.Of(&Context{}, s, cmp.Or(mode, s.Own())))
	return x, !math.IsNaN(x), nil
}
