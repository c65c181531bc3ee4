package metrics

import "math"

// Final is the average accuracy ACC = 1/M sum_i R[M][i] (GEM), the final
// average of the paper's tables.
func (r Matrix) Final() float64 { return Mean(r[r.Tasks()]) }

// BackwardTransfer is BWT = 1/(M-1) sum_{i<M} (R[M][i] - R[i][i]) with tasks
// counted from 1 (GEM). Negative values are forgetting. NaN for one task.
func (r Matrix) BackwardTransfer() float64 {
	m := r.Tasks()
	sum := 0.0
	for i := range m - 1 {
		sum += r[m][i] - r[i+1][i]
	}
	return sum / float64(m-1)
}

// ForwardTransfer is FWT0 = 1/(M-1) sum_{i=2..M} (R[i-1][i] - R[0][i]) with
// tasks counted from 1 (GEM): what training on earlier tasks gives a task
// before its own training, against the untrained network. NaN for one task.
func (r Matrix) ForwardTransfer() float64 {
	m := r.Tasks()
	sum := 0.0
	for i := 1; i < m; i++ {
		sum += r[i][i] - r[0][i]
	}
	return sum / float64(m-1)
}

// Forgetting lists F_i = R[i][i] - R[M][i], tasks counted from 1.
func (r Matrix) Forgetting() []float64 {
	m := r.Tasks()
	f := make([]float64, m)
	for i := range f {
		f[i] = r[i+1][i] - r[m][i]
	}
	return f
}

// ForgettingGEM is the mean of F_i over the first M-1 tasks; NaN for one task.
func (r Matrix) ForgettingGEM() float64 { return Mean(r.Forgetting()[:r.Tasks()-1]) }

// ForgettingCW is the mean of F_i over all tasks, whose last is 0 (CW).
func (r Matrix) ForgettingCW() float64 { return Mean(r.Forgetting()) }

// IsolatedForgetting is IF[i][j] = (R[j-1][i] - R[j][i]) / |best_i| for i < j
// (CORA): how much the training of task j cost task i. best is the best score
// of each task over the run (or over all seeds). Entry [i][j] counts tasks from
// 0; entries with i >= j are NaN.
func (r Matrix) IsolatedForgetting(best []float64) [][]float64 {
	return r.pairs(func(i, j int) float64 {
		if i >= j {
			return math.NaN()
		}
		return (r[j][i] - r[j+1][i]) / math.Abs(best[i])
	})
}

// ZeroShotTransfer is ZT[i][j] = (R[j][i] - R[j-1][i]) / |best_i| for i > j
// (CORA): how much the training of task j gave the later task i. Entry [i][j]
// counts tasks from 0; entries with i <= j are NaN.
func (r Matrix) ZeroShotTransfer(best []float64) [][]float64 {
	return r.pairs(func(i, j int) float64 {
		if i <= j {
			return math.NaN()
		}
		return (r[j+1][i] - r[j][i]) / math.Abs(best[i])
	})
}

func (r Matrix) pairs(f func(i, j int) float64) [][]float64 {
	m := r.Tasks()
	out := make([][]float64, m)
	for i := range out {
		out[i] = make([]float64, m)
		for j := range out[i] {
			out[i][j] = f(i, j)
		}
	}
	return out
}

// Mean is the arithmetic mean, NaN for no values.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// Std is the population standard deviation (division by the number of values,
// as in the paper's tables), NaN for no values.
func Std(x []float64) float64 {
	m, sum := Mean(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(x)))
}
