package report

import (
	"fmt"
	"slices"

	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/report/stats"
)

// ablationRow is a row of the ablation table; paper is its key there.
type ablationRow struct{ name, label, paper string }

// ablations in the paper's order. Those that its table does not have come last
// and appear only if they were run.
var ablations = []ablationRow{
	{"", "Ours", "ours"},
	{"without_model", "W/o model", "wo_model"},
	{"without_cont_g", "W/o cont_g", "wo_cont_g"},
	{"without_poe", "W/o POE", "wo_poe"},
	{"without_oracle", "W/o oracle", "wo_oracle"},
	{"without_cont_l", "W/o cont_l", "wo_cont_l"},
	{"without_cont_gl", "W/o cont_{g,l}", "wo_cont_gl"},
	{"without_reg", "W/o reg", ""},
	{"without_expansion", "W/o expansion test", ""},
	{"never_expand", "One head", ""},
}

// comparison accepts the runs that compare methods: the training sequence with
// more than one task, no ablation.
func (b *builder) comparison(env, learner string) func(*Summary) bool {
	return func(s *Summary) bool {
		return s.Env == env && s.Learner == learner && s.Ablation == "" && s.Sequence == "train" && len(s.Tasks) > 1
	}
}

// method is the group of a method among the runs that accept takes.
func (b *builder) method(m Method, accept func(*Summary) bool) group {
	return b.group(m.Label, func(s *Summary) (string, bool) {
		if !accept(s) {
			return "", false
		}
		return m.mode(s)
	})
}

// tasksOf lists the tasks of the first run that accept takes.
func (b *builder) tasksOf(accept func(*Summary) bool) []string {
	if i := slices.IndexFunc(b.runs, accept); i >= 0 {
		return b.runs[i].Tasks
	}
	return nil
}

// finalCells are the final scores by task and their average.
func (b *builder) finalCells(g group, tasks []string, paper func(i int) *PaperValue) []Cell {
	final := g.scores(func(s *Summary, mode string) ([]float64, bool) {
		x, ok := s.FinalRow(mode)
		return x, ok && slices.Equal(s.Tasks, tasks)
	})
	var cells []Cell
	for i := range tasks {
		cells = append(cells, b.cell(final.Column(i), paper(i)))
	}
	return append(cells, b.cell(final, paper(-1)))
}

const finalFormula = "final average = 1/M sum_i R[M][i], the score on task i after the last of M tasks"

func (b *builder) mainTables() error {
	for _, env := range envs(b.runs) {
		accept := b.comparison(env, b.o.Learner)
		tasks := b.tasksOf(accept)
		if tasks == nil {
			continue
		}
		t := b.add("main", fmt.Sprintf("Final scores on %s, %s", EnvLabel(env), b.o.Learner), []string{"method"}, append(record.Labels(tasks), "average")...)
		t.Foot = append(t.Foot, finalFormula)
		var groups []group
		for _, m := range Methods(b.runs) {
			g := b.method(m, accept)
			if len(g.runs) == 0 && !known(m) {
				continue
			}
			r := t.row(m.Key, g, m.Label)
			r.Unranked = m.Key == "oracle"
			r.Cells = b.finalCells(g, tasks, func(i int) *PaperValue { return b.o.Paper.main(m.Key, env, b.o.Learner, i, len(tasks)) })
			groups = append(groups, g)
		}
		b.improvement(t, groups, reference)
	}
	return nil
}

// known says whether the paper compares the method.
func known(m Method) bool {
	return slices.ContainsFunc(methods, func(k Method) bool { return k.Key == m.Key })
}

// improvement adds, with StatsIQM, the probability that the row named key beats
// each other row.
func (b *builder) improvement(t *Table, groups []group, key string) {
	at := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Key == key })
	if b.o.Stats != StatsIQM || at < 0 || len(groups[at].runs) == 0 {
		return
	}
	t.Columns = append(t.Columns, Column{Name: "P(" + groups[at].label + " better)"})
	final := func(s *Summary, mode string) ([]float64, bool) { return s.FinalRow(mode) }
	x := groups[at].scores(final)
	for i := range t.Rows {
		c := b.cell(nil, nil)
		c.Undefined = i == at
		if y := groups[i].scores(final); i != at && alike(x, y) {
			p := metrics.Number(stats.Improvement(x, y))
			c.Values, c.Mean, c.IQM = []metrics.Number{p}, p, p
			c.Interval = stats.BootstrapImprovement(x, y, resamples, bootstrapSource)
		}
		t.Rows[i].Cells = append(t.Rows[i].Cells, c)
	}
	t.Foot = append(t.Foot, "P(X better) = probability that a run of X beats one of the row on a task, mean over tasks; 0.5 is no difference")
}

// alike says whether there are runs on both sides, all with as many tasks.
func alike(x, y stats.Scores) bool {
	return len(x) > 0 && len(y) > 0 && !slices.ContainsFunc(slices.Concat(x, y), func(s []float64) bool { return len(s) != len(x[0]) })
}

func (b *builder) ablationTable() error {
	env := b.o.Env
	if env == "" {
		env = "lbf"
	}
	accept := func(s *Summary) bool {
		return s.Env == env && s.Alg == reference && s.Learner == b.o.Learner && s.Sequence == "train" && len(s.Tasks) > 1
	}
	tasks := b.tasksOf(accept)
	if tasks == nil {
		return nil
	}
	t := b.add("ablation", fmt.Sprintf("Ablations of MACPro on %s, %s", EnvLabel(env), b.o.Learner), []string{"method"}, append(record.Labels(tasks), "average")...)
	t.Foot = append(t.Foot, finalFormula)
	var groups []group
	for _, a := range ablations {
		g := b.group(a.label, func(s *Summary) (string, bool) { return s.Own(), accept(s) && s.Ablation == a.name })
		if len(g.runs) == 0 && a.paper == "" {
			continue
		}
		key := a.name
		if key == "" {
			key = "ours"
		}
		t.row(key, g, a.label).Cells = b.finalCells(g, tasks, func(i int) *PaperValue {
			if env != "lbf" || b.o.Learner != "qmix" {
				return nil
			}
			return b.o.Paper.ablation(a.paper, i, len(tasks))
		})
		groups = append(groups, g)
	}
	b.improvement(t, groups, "ours")
	return nil
}

func (b *builder) integrativeTable() error {
	learners := []string{"vdn", "qmix", "qplex"}
	t := b.add("integrative", "Final average with and without MACPro", []string{"env", "method"}, learners...)
	t.Foot = append(t.Foot, finalFormula)
	for _, env := range envs(b.runs) {
		tasks := len(b.tasksOf(func(s *Summary) bool { return s.Env == env && s.Sequence == "train" && len(s.Tasks) > 1 }))
		for _, with := range []bool{true, false} {
			alg, label := reference, "W/ MACPro"
			if !with {
				alg, label = "finetuning", "W/o MACPro"
			}
			row := t.row(env+"_"+alg, group{}, EnvLabel(env), label)
			row.Block = env
			for _, l := range learners {
				accept := b.comparison(env, l)
				g := b.group(fmt.Sprintf("%s %s %s", EnvLabel(env), label, l), func(s *Summary) (string, bool) {
					return s.Own(), accept(s) && s.Alg == alg
				})
				final := g.scores(func(s *Summary, mode string) ([]float64, bool) { return s.FinalRow(mode) })
				t.put(row, g, b.cell(final, b.o.Paper.integrative(env, l, with, tasks)))
			}
		}
	}
	return nil
}
