package macpro

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// latents are the rows of one dump.
func (w *world) latents(when string) (tasks []string, fields []map[string]any) {
	for _, e := range w.rows {
		if e.Kind == "latents" && e.Fields["when"] == when && e.TEnv == w.progress.TEnv {
			tasks, fields = append(tasks, e.Task), append(fields, e.Fields)
		}
	}
	return tasks, fields
}

// At the start and at the end of a task there is a row for every task, with its
// own head, which has played it; when a task has just passed the expansion test
// its contexts are those of the test with the nearest head.
func TestLatents(t *testing.T) {
	w := trained(t, "latents", true, "center_mode", "cached", "lambda_new", 0.0)
	w.placed([]float32{100, 0, 0, 0}, make([]float32, 4)) // head 1 is the nearest
	w.requests = nil
	w.begin("third")
	tested := w.again("identify")[4:]
	begun := func(when string) []map[string]any {
		t.Helper()
		tasks, fields := w.latents(when)
		if !slices.Equal(tasks, []string{"first", "second", "third"}) {
			t.Fatalf("%s: contexts of %v", when, tasks)
		}
		for k, f := range fields {
			if f["head"] != k {
				t.Errorf("%s: %s has head %v, want %d", when, tasks[k], f["head"], k)
			}
		}
		return fields
	}
	last := begun("task_start")[2]
	if want := w.says(w.m.trainer.readG, tested); !reflect.DeepEqual(last["g"], want) {
		t.Errorf("g of the new task %v, that of the test with head 1 %v", last["g"], want)
	}
	f := w.says(w.m.trainer.readF, tested)
	for i := range tested {
		if got := last["lengths"].([]int)[i]; got != tested[i].T {
			t.Errorf("episode %d has length %d, want %d", i, got, tested[i].T)
		}
		agents := last["f"].([][][]float32)[i]
		if !reflect.DeepEqual(agents, f[2*i:2*i+2]) {
			t.Errorf("f of episode %d %v, want %v", i, agents, f[2*i:2*i+2])
		}
	}
	w.collect(4)
	w.end()
	begun("task_end")
	var want []string
	for _, tasks := range [][]string{{"first", "second"}, {"first", "second", "third"}} {
		for k, task := range tasks {
			want = append(want, fmt.Sprint(task, 4, repeated(int32(k), 8), nil, 0.0))
		}
	}
	if got := played(w, "latents"); !slices.Equal(got, want) {
		t.Errorf("played %v, want %v", got, want)
	}
}
