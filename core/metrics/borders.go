package metrics

import (
	"math"
	"slices"
)

// BorderSummary says how well the borders between tasks were found.
type BorderSummary struct {
	Borders int // true ones
	Found   int
	// Delays holds, for every border that was found, the transitions from it to the
	// first find before the next border.
	Delays      []int64
	FalseAlarms int // further finds, and those in the first task
	Missed      int // borders without a find before the next one
}

// Borders compares finds with true borders. starts are those of the tasks, the first
// of which has none before it; both are ascending training transitions.
func Borders(starts, found []int64) BorderSummary {
	s := BorderSummary{Borders: max(0, len(starts)-1), Found: len(found)}
	task, known := 0, true // the first task has no border to find
	for _, t := range found {
		for task+1 < len(starts) && starts[task+1] <= t {
			task, known = task+1, false
		}
		if known {
			s.FalseAlarms++
			continue
		}
		known = true
		s.Delays = append(s.Delays, t-starts[task])
	}
	s.Missed = s.Borders - len(s.Delays)
	return s
}

// MeanDelay and MaxDelay are NaN without a border that was found.
func (s BorderSummary) MeanDelay() float64 {
	var all []float64
	for _, d := range s.Delays {
		all = append(all, float64(d))
	}
	return Mean(all)
}

// MaxDelay is the longest delay.
func (s BorderSummary) MaxDelay() float64 {
	if len(s.Delays) == 0 {
		return math.NaN()
	}
	return float64(slices.Max(s.Delays))
}
