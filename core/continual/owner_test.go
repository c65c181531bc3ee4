package continual_test

import (
	"context"
	"slices"
	"testing"

	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/plugins/continual/er"
)

// Only the run sets the learner's task, when it looks whether all can be served and
// when training comes to one: tests, probing episodes, rehearsed episodes of other
// tasks and evaluations say themselves which task they are of.
func TestOnlyTheRunSetsTheTask(t *testing.T) {
	want := []string{"second", "trio", "first", "first", "trio", "second"}
	for name, method := range map[string]func(*spy){
		"probing":   func(s *spy) { s.MethodPlugin = mini.Method{} },
		"rehearsal": func(s *spy) { s.MethodPlugin = er.Plugin{} },
	} {
		s, o := spied("tasks", []string{"first", "trio", "second"}, "er_share", 0.5, "memory_size", 20)
		method(s)
		r := start(t, nil, o)
		finish(t, r)
		if _, err := r.Evaluate(context.Background(), continual.EvalOptions{Generalization: true}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(s.told, want) {
			t.Errorf("%s: the learner was set to %v, want %v", name, s.told, want)
		}
	}
}
