package read

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/metrics"
	"macpro/core/record"
)

// The choices of a task are those of its newest test; -1 is the head that was in
// training then. A task is its place in the sequence, not its name.
func TestChoices(t *testing.T) {
	s := &Summary{Tasks: []string{"a", "b", "c", "a"}, Curves: map[string][]metrics.Curve{}}
	r := newReader(s)
	var rows []record.Row
	emit := func(kind, task string, at int64, fields map[string]any) {
		rows = append(rows, record.Row{Event: core.Event{Kind: kind, Task: task, TEnv: at, Fields: fields}})
	}
	test := func(task string, at int64, heads ...any) {
		emit("test_episode", task, at, map[string]any{"mode": "ctde", "heads": heads})
		emit("test", task, at, map[string]any{"mode": "ctde", "index": float64(strings.Index("abc", task)), "score": 1.0})
	}
	index := -1.0
	start := func(task string, at int64, head float64) {
		index++
		emit("task_start", task, at, map[string]any{"index": index, "head": head, "heads": head + 1})
	}
	start("a", 0, 0)
	test("a", 5, -1.0, -1.0)
	start("b", 10, 1)
	test("a", 15, 0.0, 0.0)
	test("a", 15, -1.0, 0.0)
	test("b", 15, -1.0, -1.0)
	start("c", 20, 0)
	test("c", 25, -1.0, 1.0)
	start("a", 30, 1)
	emit("test_episode", "a", 35, map[string]any{"mode": "ctde", "task_index": 3.0, "heads": []any{-1.0, -1.0, -1.0}})
	emit("test", "a", 35, map[string]any{"mode": "ctde", "index": 3.0, "score": 1.0})
	test("c", 40, 1.0) // but no test row follows
	rows = rows[:len(rows)-1]
	for i := range rows {
		if r.skipsEpisodes(rows[i].Kind, 0) {
			r.row(&rows[i])
		}
	}
	for _, row := range rows {
		entry, err := record.Parse(row)
		if err != nil {
			t.Fatal(err)
		}
		r.choice(entry)
	}
	r.close()
	want := map[string][][]int{"ctde": {{3, 1}, {0, 2}, {1, 1}, {0, 3}}}
	if !reflect.DeepEqual(s.Choices, want) {
		t.Errorf("choices %v, want %v", s.Choices, want)
	}
}

// A summary says how often and how far the values of a run left the returns.
func TestAlarmsOfARun(t *testing.T) {
	var s Summary
	s.takeFinal(&record.Outcome{Alarms: 2, PeakQRatio: 3.5})
	if s.Alarms != 2 || s.PeakQRatio != 3.5 {
		t.Errorf("%d alarms, ratio %v", s.Alarms, s.PeakQRatio)
	}
}

// Of a run that is not done the journal has the alarms. Those of methods are other ones.
func TestAlarmsOfAJournal(t *testing.T) {
	s := &Summary{Settings: map[string]string{"q_alarm_factor": "1.2"}}
	r := newReader(s)
	for _, reason := range []string{"max_heads", record.AlarmInflation, record.AlarmDiverged, record.AlarmInflation} {
		r.row(&record.Row{Event: record.Event(record.Alarm{At: record.At{TEnv: 10, Task: "a"}, Reason: reason})})
	}
	r.close()
	if s.Alarms != 2 || s.Inflation() != "the mean Q_tot rose above 1.2 times the largest return" {
		t.Errorf("%d alarms: %q", s.Alarms, s.Inflation())
	}
}

// Measures of plasticity keep their task; what a row lacks is not a number.
func TestPlasticityOfARun(t *testing.T) {
	rank, drift := 3, .5
	s := &Summary{Curves: map[string][]metrics.Curve{}}
	r := newReader(s)
	for i, e := range []record.Plasticity{
		{At: record.At{TEnv: 10, Task: "a"}, Index: 0, Dormant: .25, Rank: &rank, Norm: 2},
		{At: record.At{TEnv: 20, Task: "a"}, Index: 1, Dormant: math.NaN(), Norm: 3, Drift: &drift},
	} {
		r.row(&record.Row{Event: record.Event(e), Line: i + 1})
	}
	r.close()
	data, err := json.Marshal(s.Plasticity)
	want := `[{"t":10,"index":0,"dormant":0.25,"rank":3,"norm":2,"drift":null},{"t":20,"index":1,"dormant":null,"rank":null,"norm":3,"drift":0.5}]`
	if err != nil || string(data) != want || len(s.Damaged) > 0 {
		t.Errorf("%s %v %v, want %s", data, s.Damaged, err, want)
	}
}

// The loss of speed follows from a journal: a is learned in a line, then not before half
// of its second visit. Tests of the first visit during the second one, and those of
// another mode, do not count.
func TestSpeedLossOfAJournal(t *testing.T) {
	s := &Summary{Curves: map[string][]metrics.Curve{}}
	r := newReader(s)
	line := 0
	row := func(e record.Entry) {
		line++
		r.row(&record.Row{Event: record.Event(e), Line: line})
	}
	at := func(step int64, task string) record.At { return record.At{TEnv: step, Task: task} }
	test := func(step int64, mode, task string, index int, score float64) {
		row(record.Test{At: at(step, task), Mode: mode, Index: index, Score: score, Seen: true})
	}
	border := func(step int64, ended, begins string, index int) {
		if ended != "" {
			row(record.TaskEnd{At: at(step, ended), Index: index - 1})
		}
		if begins != "" {
			row(record.TaskStart{At: at(step, begins), Index: index})
		}
	}
	test(0, "m", "a", 0, 0)
	test(0, "m", "b", 1, 0)
	test(0, "m", "a", 2, 1) // before any training; what counts is from the visit's start on
	border(0, "", "a", 0)
	test(0, "other", "a", 0, 1)
	test(10, "m", "a", 0, 1) // area 1/2
	border(10, "a", "b", 1)
	test(20, "m", "b", 1, 1)
	test(20, "m", "a", 2, 0)
	border(20, "b", "a", 2)
	test(25, "m", "a", 0, 1)
	test(25, "m", "a", 2, 0)
	test(30, "m", "a", 2, 1) // area 1/4
	border(30, "a", "", 3)
	test(40, "m", "a", 2, 0)
	r.close()
	near(t, "loss", s.SpeedLoss("m"), .5, 1e-12)
	if got := s.SpeedLoss("other"); !math.IsNaN(got) {
		t.Errorf("a mode that was not tested in the second visit has a loss of %v", got)
	}
}

// Borders that a method has found are those that it did not take back, whatever task
// they fell into; true ones are the starts of tasks.
func TestBordersOfARun(t *testing.T) {
	s := &Summary{Curves: map[string][]metrics.Curve{}}
	r := newReader(s)
	for i, e := range []record.Entry{
		record.TaskStart{At: record.At{Task: "a"}, Index: 0, Heads: 1},
		record.Border{At: record.At{TEnv: 40, Task: "a"}},
		record.TaskStart{At: record.At{TEnv: 100, Task: "b"}, Index: 1, Heads: 1},
		record.Border{At: record.At{TEnv: 130, Task: "b"}, Found: true, Number: 1, Extra: map[string]any{"distance": 2.5}},
		record.TaskStart{At: record.At{TEnv: 200, Task: "a"}, Index: 2, Heads: 2},
	} {
		r.row(&record.Row{Event: record.Event(e), Line: i + 1})
	}
	r.close()
	if got := metrics.Borders(s.Starts, s.Borders); !slices.Equal(s.Borders, []int64{130}) || !slices.Equal(got.Delays, []int64{30}) || got.Missed != 1 || len(s.Damaged) > 0 {
		t.Errorf("borders %v of starts %v: %+v, damaged %v", s.Borders, s.Starts, got, s.Damaged)
	}
}
