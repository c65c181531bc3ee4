package continual_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"macpro/core/continual"
)

// Rounds repeat the tasks; each has an order of its own, which sequence_seed alone draws.
func TestRounds(t *testing.T) {
	tasks := func(changes ...any) []string {
		return start(t, nil, options(append([]any{"steps_per_task", 20}, changes...)...)).Tasks()
	}
	plain := tasks()
	n := len(plain)
	if got := tasks("sequence_repeat", 3); !slices.Equal(got, slices.Concat(plain, plain, plain)) {
		t.Errorf("three rounds: %v", got)
	}
	shuffled := tasks("sequence_repeat", 8, "sequence_shuffle", true)
	orders := map[string]bool{}
	for k := range 8 {
		round := shuffled[k*n : (k+1)*n]
		orders[strings.Join(round, " ")] = true
		if got := slices.Sorted(slices.Values(round)); !slices.Equal(got, slices.Sorted(slices.Values(plain))) {
			t.Errorf("round %d is %v", k, round)
		}
	}
	if len(orders) < 3 {
		t.Errorf("8 rounds have only the orders %v", orders)
	}
	if got := tasks("sequence_repeat", 8, "sequence_shuffle", true, "seed", 2); !slices.Equal(got, shuffled) {
		t.Error("another seed has another order")
	}
	if got := tasks("sequence_repeat", 8, "sequence_shuffle", true, "sequence_seed", 2); slices.Equal(got, shuffled) {
		t.Error("another sequence_seed has the same order")
	}
	if _, err := continual.New(options("sequence_repeat", 10000)); err == nil || !strings.Contains(err.Error(), "sequence_repeat 10000 times 3 tasks are 30000") {
		t.Errorf("too many rounds: %v", err)
	}
}

// testSeeds are the seeds of the episodes of the last test of each task of a name.
func testSeeds(rec *tape, task string) map[int]string {
	seeds, last := map[int]string{}, map[int]int64{}
	for _, x := range rec.of("test_episode") {
		i, ok := x.F["task_index"].(float64)
		if x.Task != task || !ok || x.F["index"] != 0.0 || x.T < last[int(i)] {
			continue
		}
		last[int(i)], seeds[int(i)] = x.T, x.F["seed"].(string)
	}
	return seeds
}

// In rounds each task is tested on episodes of its own. Tasks of one name that are
// listed share theirs, as they always did.
func TestRoundsHaveTestsOfTheirOwn(t *testing.T) {
	first := start(t, nil, options()).Tasks()[0]
	for _, c := range []struct {
		changes []any
		same    bool
	}{
		{[]any{"tasks", []string{first, first}}, true},
		{[]any{"tasks", []string{first}, "sequence_repeat", 2}, false},
	} {
		rec := &tape{t: t}
		finish(t, start(t, rec, options(append(c.changes, "steps_per_task", 40)...)))
		seeds := testSeeds(rec, first)
		if len(seeds) != 2 || (seeds[0] == seeds[1]) != c.same {
			t.Errorf("%v: first seeds of the last tests are %v", c.changes, seeds)
		}
	}
}

// A checkpoint's tasks are in their final order: they are not repeated once more.
func TestTasksOfACheckpoint(t *testing.T) {
	o := options("steps_per_task", 30, "sequence_repeat", 2, "sequence_shuffle", true)
	r := start(t, nil, o)
	finish(t, r)
	saved := parts(t, r)
	id, err := continual.ReadIdentity(bytes.NewReader(saved[continual.PartRun]))
	if err != nil {
		t.Fatal(err)
	}
	o.Tasks = id.Tasks
	other := start(t, nil, o)
	if err := other.Load(func(name string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(saved[name])), nil }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(other.Tasks(), r.Tasks()) || len(id.Tasks) != 6 {
		t.Errorf("%v, want %v", other.Tasks(), r.Tasks())
	}
}
