package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"macpro/core/record"
	"macpro/core/report/read"
	"macpro/core/store"
)

// absolute is marl-eval's key for the numbers of the finished policy.
const absolute = "absolute_metrics"

// tests are the numbers of a task by step key; metrics are lists of one number.
type tests map[string]map[string]any

// MARLEval writes finished runs as marl-eval's JSON: environment, task, algorithm,
// run, step. The steps are the tests at the borders of tasks, because these alone
// have every task, seen or not: step_0 is before training, step_i after i tasks.
// The last one stands again as absolute_metrics. All are of the method's own mode.
// Metrics are score and, of runs that are read from their folders, return and
// win_rate. A run that did not test all tasks at every border is an error.
func MARLEval(w io.Writer, fsys store.FS, runs []*read.Summary) error {
	out := map[string]map[string]map[string]map[string]tests{}
	algorithms := Algorithms(runs)
	for i, s := range runs {
		all, err := borders(fsys, s)
		if err != nil {
			return fmt.Errorf("run %s: %w", s.ID, err)
		}
		for j, label := range record.Labels(s.Tasks) {
			at(at(at(out, s.Env), label), algorithms[i])[s.ID] = all[j]
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(out)
}

// at finds or makes a level of the structure.
func at[M map[string]V, V any](m map[string]M, key string) M {
	if m[key] == nil {
		m[key] = M{}
	}
	return m[key]
}

// borders are the tests of a run by task.
func borders(fsys store.FS, s *read.Summary) ([]tests, error) {
	r := s.R[s.Own()]
	if r.Check() != nil || r.Tasks() != len(s.Tasks) {
		return nil, errors.New("it has no score matrix")
	}
	all := make([]tests, len(s.Tasks))
	for j := range all {
		all[j] = tests{}
		for i := range r {
			if math.IsNaN(r[i][j]) {
				return nil, fmt.Errorf("task %s was not tested after %d tasks: marl-eval needs every task at every step, which runs with boundary_full_test: true have", s.Tasks[j], i)
			}
			step := s.Starts[0]
			if i > 0 {
				step = s.Ends[i-1]
			}
			all[j][stepKey(i, len(all))] = map[string]any{"step_count": step, "score": []float64{r[i][j]}}
		}
	}
	if s.Dir != "" {
		if err := returns(fsys, s, all); err != nil {
			return nil, err
		}
	}
	for j := range all {
		last := map[string]any{}
		for name, x := range all[j][stepKey(len(all), len(all))] {
			if name != "step_count" {
				last[name] = x
			}
		}
		all[j][absolute] = last
	}
	return all, nil
}

// stepKey names the test after some tasks so that the order of names is that of time.
func stepKey(after, tasks int) string {
	return fmt.Sprintf("step_%0*d", len(fmt.Sprint(tasks)), after)
}

// returns adds what the score matrix does not have.
func returns(fsys store.FS, s *read.Summary, all []tests) error {
	rec, err := store.Load(fsys, s.Dir)
	if err != nil {
		return err
	}
	for row, err := range rec.Scan().Rows(func(kind string, _ int64) bool { return kind == record.KindTest }) {
		if err != nil {
			return err
		}
		entry, err := record.Parse(row)
		if err != nil {
			return err
		}
		t, ok := entry.(record.Test)
		if !ok || t.After == nil || t.Mode != s.Own() || t.Index < 0 || t.Index >= len(all) {
			continue
		}
		if m := all[t.Index][stepKey(*t.After, len(all))]; m != nil {
			m["return"], m["win_rate"] = []float64{float64(t.ReturnMean)}, []float64{float64(t.WinRate)}
		}
	}
	return nil
}
