package metrics

// Summary is what one run tells about one test mode.
type Summary struct {
	FinalAverage       Number     `json:"final_average"`
	BackwardTransfer   Number     `json:"bwt"`
	ForwardTransfer    Number     `json:"fwt0"`
	ForgettingGEM      Number     `json:"forgetting_gem"`
	ForgettingCW       Number     `json:"forgetting_cw"`
	Area               []Number   `json:"auc"`  // by task, over the task's own training
	Best               []Number   `json:"best"` // by task, over the whole run
	IsolatedForgetting [][]Number `json:"isolated_forgetting"`
	ZeroShotTransfer   [][]Number `json:"zero_shot_transfer"`
}

// Summarize computes the measures of one mode from its matrix, its curves by
// task, and the spans [2] of time in which each task was trained. budget, if not nil,
// says how long each was to be trained: a task that ended early counts in Area with its
// last score up to then.
func Summarize(r Matrix, curves []Curve, spans [][2]int64, budget []int64) Summary {
	s := Summary{
		FinalAverage:     Number(r.Final()),
		BackwardTransfer: Number(r.BackwardTransfer()),
		ForwardTransfer:  Number(r.ForwardTransfer()),
		ForgettingGEM:    Number(r.ForgettingGEM()),
		ForgettingCW:     Number(r.ForgettingCW()),
	}
	best := make([]float64, len(curves))
	for i, c := range curves {
		best[i] = c.Best()
		s.Best = append(s.Best, Number(best[i]))
		from, to := spans[i][0], spans[i][1]
		if budget != nil && from < to && to < from+budget[i] {
			c, to = c.until(to), from+budget[i]
		}
		s.Area = append(s.Area, Number(c.Area(from, to)))
	}
	s.IsolatedForgetting = numbers(r.IsolatedForgetting(best))
	s.ZeroShotTransfer = numbers(r.ZeroShotTransfer(best))
	return s
}

func numbers(x [][]float64) [][]Number {
	out := make([][]Number, len(x))
	for i, row := range x {
		out[i] = make([]Number, len(row))
		for j, v := range row {
			out[i][j] = Number(v)
		}
	}
	return out
}
