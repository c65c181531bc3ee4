package metrics

import (
	"math"
	"slices"
)

// visits lists, for every task that a sequence trains several times, the areas under its
// curve (CW) while it is trained, by visit. A visit that ended early counts with its last
// score up to the length of the task's longest visit. A task with a visit that was not
// tested is left out. tasks, curves and spans have an entry for each place of the
// sequence.
func visits(tasks []string, curves []Curve, spans [][2]int64) [][]float64 {
	places := map[string][]int{}
	var order []string
	for i, name := range tasks[:min(len(tasks), len(curves), len(spans))] {
		if places[name] == nil {
			order = append(order, name)
		}
		places[name] = append(places[name], i)
	}
	var out [][]float64
	for _, name := range order {
		if len(places[name]) < 2 {
			continue
		}
		longest := int64(0)
		for _, i := range places[name] {
			longest = max(longest, spans[i][1]-spans[i][0])
		}
		var of []float64
		for _, i := range places[name] {
			of = append(of, curves[i].until(spans[i][1]).Area(spans[i][0], spans[i][0]+longest))
		}
		if !slices.ContainsFunc(of, math.IsNaN) {
			out = append(out, of)
		}
	}
	return out
}

func (c Curve) until(t int64) Curve {
	n := len(c)
	for n > 0 && c[n-1].T > t {
		n--
	}
	return c[:n]
}

// leastSpeed is the smallest speed of first visits that later ones are compared with.
const leastSpeed = 0.1

// LearningSpeed is A_k for k = 1, 2, ...: the mean area under a task's curve while it is
// trained for the k-th time, over the tasks with k visits. relative is A_k divided by the
// mean over the first visits of the same tasks; NaN if that mean is below 0.1. Both are
// empty if no task is trained several times. Abbas et al. (2023) compare visits of a cycle of tasks.
func LearningSpeed(tasks []string, curves []Curve, spans [][2]int64) (speed, relative []float64) {
	all := visits(tasks, curves, spans)
	for k := 0; ; k++ {
		var first, kth []float64
		for _, of := range all {
			if k < len(of) {
				first, kth = append(first, of[0]), append(kth, of[k])
			}
		}
		if len(kth) == 0 {
			return speed, relative
		}
		speed, relative = append(speed, Mean(kth)), append(relative, quotient(Mean(kth), Mean(first)))
	}
}

// SpeedLoss is the loss of learning speed over repeats, 1 - A_last/A_first: means over the
// tasks that are trained several times of the area under the curve in their last and in
// their first visit. Negative values are a gain. NaN if no task is repeated, or if A_first
// is below 0.1.
func SpeedLoss(tasks []string, curves []Curve, spans [][2]int64) float64 {
	var first, last []float64
	for _, of := range visits(tasks, curves, spans) {
		first, last = append(first, of[0]), append(last, of[len(of)-1])
	}
	return 1 - quotient(Mean(last), Mean(first))
}

func quotient(x, reference float64) float64 {
	if !(reference >= leastSpeed) {
		return math.NaN()
	}
	return x / reference
}
