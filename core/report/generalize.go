package report

import (
	"fmt"
	"slices"

	"macpro/core/record"
)

// unseen lists the scores on the tasks that were never trained, in the order of
// the evaluation. Of several evaluations the one that counts comes first.
func (s *Summary) unseen(mode string) (tasks []string, scores []float64) {
	for _, e := range s.Evaluations {
		if e.Name != record.Generalization {
			continue
		}
		for _, t := range e.Tests {
			if t.Mode == mode && !slices.Contains(s.Tasks, t.Task) {
				tasks, scores = append(tasks, t.Task), append(scores, float64(t.Score))
			}
		}
		if len(tasks) > 0 {
			break
		}
	}
	return tasks, scores
}

func (b *builder) generalizationTables() error {
	all := envs(b.runs)
	var labels []string
	for _, env := range all {
		labels = append(labels, EnvLabel(env))
	}
	t := b.add(record.Generalization, "Scores on tasks that were never trained, "+b.o.Learner, []string{"method"}, labels...)
	t.Foot = append(t.Foot, "mean over an environment's generalisation tasks, then over seeds; Oracle has no head for them")
	for _, m := range Methods(b.runs) {
		if m.Key == "oracle" {
			continue
		}
		row := t.row(m.Key, group{}, m.Label)
		for _, env := range all {
			g := b.unseenGroup(m, env)
			t.put(row, g, b.cell(g.scores(func(s *Summary, mode string) ([]float64, bool) {
				_, x := s.unseen(mode)
				return x, len(x) > 0
			}), nil))
		}
		if row.seedCounts() == "0" && !known(m) {
			t.Rows = t.Rows[:len(t.Rows)-1]
		}
	}
	if b.o.Env != "" {
		b.unseenTasks(b.o.Env)
	}
	return nil
}

// unseenGroup is the runs of a method that were tested on unseen tasks.
func (b *builder) unseenGroup(m Method, env string) group {
	accept := b.comparison(env, b.o.Learner)
	return b.group(m.Label+" on "+EnvLabel(env), func(s *Summary) (string, bool) {
		mode, ok := m.mode(s)
		if !ok || !accept(s) {
			return "", false
		}
		_, x := s.unseen(mode)
		return mode, len(x) > 0
	})
}

// unseenTasks adds the table of all single tasks of one environment, a row a
// task.
func (b *builder) unseenTasks(env string) {
	var shown []Method
	var groups []group
	var tasks []string
	for _, m := range Methods(b.runs) {
		if g := b.unseenGroup(m, env); m.Key != "oracle" && len(g.runs) > 0 {
			shown, groups = append(shown, m), append(groups, g)
			if tasks == nil {
				tasks, _ = g.runs[0].unseen(g.modes[0])
			}
		}
	}
	var labels []string
	for _, m := range shown {
		labels = append(labels, m.Label)
	}
	t := b.add(record.Generalization, fmt.Sprintf("Single generalisation tasks of %s, %s", EnvLabel(env), b.o.Learner), []string{"task"}, labels...)
	for i := range t.Columns {
		t.Columns[i].Better = 0
	}
	for _, task := range tasks {
		row := t.row(task, group{}, task)
		for _, g := range groups {
			t.put(row, g, b.cell(g.scores(func(s *Summary, mode string) ([]float64, bool) {
				names, x := s.unseen(mode)
				i := slices.Index(names, task)
				if i < 0 {
					return nil, false
				}
				return x[i : i+1], true
			}), nil))
		}
	}
}
