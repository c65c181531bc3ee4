package report

import (
	"fmt"
	"math"
	"slices"

	"macpro/core/metrics"
)

func (b *builder) metricsTables() error {
	for _, env := range envs(b.runs) {
		accept := b.comparison(env, b.o.Learner)
		if b.tasksOf(accept) == nil {
			continue
		}
		t := b.add("metrics", fmt.Sprintf("Continual learning on %s, %s", EnvLabel(env), b.o.Learner), []string{"method"})
		for _, m := range measures {
			t.Columns = append(t.Columns, Column{m.name, m.better})
			t.Foot = append(t.Foot, m.name+" = "+m.formula)
		}
		single := b.references(t, env)
		for _, m := range Methods(b.runs) {
			g := b.method(m, accept)
			if len(g.runs) == 0 && !known(m) {
				continue
			}
			r := t.row(m.Key, g, m.Label)
			r.Unranked = m.Key == "oracle"
			for _, measure := range measures {
				r.Cells = append(r.Cells, b.cell(g.scores(func(s *Summary, mode string) ([]float64, bool) {
					x, ok := s.Metrics[mode]
					if !ok {
						return nil, false
					}
					v := measure.of(s, x, single)
					return []float64{v}, !math.IsNaN(v)
				}), nil))
			}
		}
	}
	return nil
}

// measure is a column of the metrics table.
type measure struct {
	name, formula string
	better        int
	of            func(s *Summary, m metrics.Summary, single map[string]float64) float64
}

var measures = []measure{
	{"average", finalFormula, 1, func(_ *Summary, m metrics.Summary, _ map[string]float64) float64 { return float64(m.FinalAverage) }},
	{"BWT", "backward transfer, 1/(M-1) sum_{i<M} (R[M][i] - R[i][i])", 1,
		func(_ *Summary, m metrics.Summary, _ map[string]float64) float64 { return float64(m.BackwardTransfer) }},
	{"forgetting", "1/(M-1) sum_{i<M} (R[i][i] - R[M][i])", -1,
		func(_ *Summary, m metrics.Summary, _ map[string]float64) float64 { return float64(m.ForgettingGEM) }},
	{"forgetting/M", "the same as a mean over all M tasks (Continual World)", -1,
		func(_ *Summary, m metrics.Summary, _ map[string]float64) float64 { return float64(m.ForgettingCW) }},
	{"FWT0", "zero-shot forward transfer, 1/(M-1) sum_{i>1} (R[i-1][i] - R[0][i])", 1,
		func(_ *Summary, m metrics.Summary, _ map[string]float64) float64 { return float64(m.ForwardTransfer) }},
	{"AUC", "mean over tasks of the area under a task's curve while it is trained", 1,
		func(_ *Summary, m metrics.Summary, _ map[string]float64) float64 { return meanNumber(m.Area) }},
	{"FT", "learning speed against single-task runs, mean of (AUC - AUC_ref)/(1 - AUC_ref)", 1,
		func(s *Summary, m metrics.Summary, single map[string]float64) float64 {
			var ft []float64
			for i, task := range s.Tasks {
				ref, ok := single[task]
				if !ok || i >= len(m.Area) {
					return math.NaN()
				}
				ft = append(ft, metrics.LearningTransfer(float64(m.Area[i]), ref))
			}
			return metrics.MeanDefined(ft)
		}},
}

func meanNumber(x []metrics.Number) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v)
	}
	return sum / float64(len(x))
}

// singleTask accepts Finetuning from scratch on one task alone.
func (b *builder) singleTask(env, task string) func(*Summary) (string, bool) {
	return func(s *Summary) (string, bool) {
		return s.Own(), s.Env == env && s.Alg == "finetuning" && s.Learner == b.o.Learner && s.Ablation == "" &&
			len(s.Tasks) == 1 && (task == "" || s.Tasks[0] == task)
	}
}

// references maps tasks to the area under the curve of single-task runs, mean
// over seeds. Runs of one task that are not alike are noted as such.
func (b *builder) references(t *Table, env string) map[string]float64 {
	area := map[string]float64{}
	for _, task := range b.singleTasks(env) {
		g := b.group(EnvLabel(env)+" "+task+" alone", b.singleTask(env, task))
		sum, n := 0.0, 0
		for i, s := range g.runs {
			if x := s.Metrics[g.modes[i]].Area; len(x) == 1 {
				sum, n = sum+float64(x[0]), n+1
			}
		}
		if n == 0 {
			continue
		}
		area[task], t.Runs = sum/float64(n), append(t.Runs, g.runs...)
		t.Foot = append(t.Foot, "AUC_ref of "+task+": "+g.source().text())
	}
	return area
}

// singleTasks lists the tasks of an environment that were trained alone.
func (b *builder) singleTasks(env string) []string {
	var tasks []string
	for _, s := range b.runs {
		if _, ok := b.singleTask(env, "")(s); ok && !slices.Contains(tasks, s.Tasks[0]) {
			tasks = append(tasks, s.Tasks[0])
		}
	}
	return tasks
}

func (b *builder) singleTables() error {
	for _, env := range envs(b.runs) {
		tasks := b.singleTasks(env)
		if tasks == nil {
			continue
		}
		t := b.add("single_task", fmt.Sprintf("Every task of %s alone, Finetuning with %s", EnvLabel(env), b.o.Learner), []string{"task"}, "final score", "best score", "AUC")
		for i := range t.Columns {
			t.Columns[i].Better = 0
		}
		t.Foot = append(t.Foot, "AUC = area under the curve over the task's training")
		for _, task := range tasks {
			g := b.group(task, b.singleTask(env, task))
			one := func(of func(metrics.Summary) []metrics.Number) Cell {
				return b.cell(g.scores(func(s *Summary, mode string) ([]float64, bool) {
					x := of(s.Metrics[mode])
					if len(x) != 1 {
						return nil, false
					}
					return []float64{float64(x[0])}, true
				}), nil)
			}
			t.row(task, g, task).Cells = []Cell{
				one(func(m metrics.Summary) []metrics.Number { return []metrics.Number{m.FinalAverage} }),
				one(func(m metrics.Summary) []metrics.Number { return m.Best }),
				one(func(m metrics.Summary) []metrics.Number { return m.Area }),
			}
		}
	}
	return nil
}
