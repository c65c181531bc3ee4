package report

import (
	"reflect"
	"testing"

	"macpro/core"
	"macpro/core/metrics"
	"macpro/core/store"
)

// The choices of a task are those of its newest test; -1 is the head that was in
// training then.
func TestChoices(t *testing.T) {
	s := &Summary{Tasks: []string{"a", "b", "c"}, Curves: map[string][]metrics.Curve{}}
	r := &reader{s: s}
	emit := func(kind, task string, at int64, fields map[string]any) {
		r.row(&store.Row{Event: core.Event{Kind: kind, Task: task, TEnv: at, Fields: fields}})
	}
	test := func(task string, at int64, heads ...any) {
		emit(core.EventTestEpisode, task, at, map[string]any{"mode": "ctde", "heads": heads})
	}
	start := func(task string, at int64, head float64) {
		emit(core.EventTaskStart, task, at, map[string]any{"head": head, "heads": head + 1})
	}
	start("a", 0, 0)
	test("a", 5, -1.0, -1.0)
	start("b", 10, 1)
	test("a", 15, 0.0, 0.0)
	test("a", 15, -1.0, 0.0)
	test("b", 15, -1.0, -1.0)
	start("c", 20, 0)
	test("c", 25, -1.0, 1.0)
	r.close()
	want := map[string][][]int{"ctde": {{3, 1}, {0, 2}, {1, 1}}}
	if !reflect.DeepEqual(s.Choices, want) {
		t.Errorf("choices %v, want %v", s.Choices, want)
	}
}
