package episode

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"macpro/core/rng"
	"macpro/core/safetensors"
)

// contents lists the indices by head and task.
func contents(d *Groups) map[int]map[int][]int64 {
	m := map[int]map[int][]int64{}
	for _, g := range d.groups {
		m[g.head] = map[int][]int64{}
		for _, l := range g.lists {
			m[g.head][l.task] = []int64{}
			for _, e := range l.eps {
				m[g.head][l.task] = append(m[g.head][l.task], e.Index)
			}
		}
	}
	return m
}

// The trace was recorded from the authors' implementation of D'.
func TestGroupsReproduceTheRecordedTrace(t *testing.T) {
	raw, err := os.ReadFile("testdata/virtual_buffer.json")
	if err != nil {
		t.Fatal(err)
	}
	var trace struct {
		Capacity int
		Trace    []struct {
			Op         string
			Traj       int64
			Task, Orig string
			State      map[string]map[string][]int64
			CanSample3 bool `json:"can_sample_3"`
		}
	}
	if err := json.Unmarshal(raw, &trace); err != nil {
		t.Fatal(err)
	}
	id := func(s string) int { return int(s[0] - 'A') }
	d := NewGroups(trace.Capacity)
	inserts := 0
	for step, op := range trace.Trace {
		if op.Op != "insert" { // a merge shows in the inserts that follow
			continue
		}
		inserts++
		d.Insert(sample(id(op.Orig), id(op.Task), op.Traj, 1))
		got := contents(d)
		if len(got) != len(op.State) {
			t.Fatalf("step %d: groups %v, want %v", step, got, op.State)
		}
		for head, lists := range op.State {
			for task, want := range lists {
				if !slices.Equal(got[id(head)][id(task)], want) {
					t.Fatalf("step %d, head %s, task %s: %v, want %v", step, head, task, got[id(head)][id(task)], want)
				}
			}
		}
		ready := 0
		for _, h := range d.Heads(nil) {
			if d.HeadLen(h) >= 3 {
				ready++
			}
		}
		if (ready >= 2) != op.CanSample3 {
			t.Errorf("step %d: %d groups with 3 trajectories, recorded %v", step, ready, op.CanSample3)
		}
	}
	if inserts < 20 {
		t.Errorf("the trace holds %d inserts", inserts)
	}
}

func TestGroupsBalance(t *testing.T) {
	d := NewGroups(100)
	index := int64(0)
	for task := range 6 {
		head := []int{0, 1, 2, 1, 3, 0}[task] // tasks 3 and 5 were merged
		for range 300 {
			d.Insert(sample(task, head, index, 1))
			index++
			if d.Len() > 100 {
				t.Fatalf("%d trajectories in a store of 100", d.Len())
			}
		}
	}
	for head := range 4 {
		if n := d.HeadLen(head); n < 24 || n > 26 {
			t.Errorf("head %d holds %d of 100", head, n)
		}
	}
	if a, b := d.TaskLen(1, 1), d.TaskLen(1, 3); a == 0 || b == 0 || a-b > 1 || b-a > 1 {
		t.Errorf("the merged group holds %d and %d trajectories of its two tasks", a, b)
	}
	// Within each list what is left is the newest.
	for head, lists := range contents(d) {
		for task, ids := range lists {
			want := int64(task*300 + 300 - len(ids))
			if len(ids) > 0 && (ids[0] != want || !slices.IsSorted(ids)) {
				t.Errorf("head %d, task %d: %v", head, task, ids)
			}
		}
	}
}

func TestGroupsSampleAndNewest(t *testing.T) {
	d := NewGroups(100)
	for i := range int64(20) {
		d.Insert(sample(int(i%2), 5, i, 1))
	}
	dst := make([]*Episode, 8)
	if err := d.Newest(5, dst); err != nil || !slices.Equal(indices(dst), []int64{19, 18, 17, 16, 15, 14, 13, 12}) {
		t.Errorf("newest %v, %v", indices(dst), err)
	}
	var count [20]float64
	from := rng.New(6).Stream()
	for range 5000 {
		if err := d.Sample(5, dst, from); err != nil {
			t.Fatal(err)
		}
		ids := indices(dst)
		slices.Sort(ids)
		if len(slices.Compact(ids)) != 8 {
			t.Fatal("a trajectory twice in one sample")
		}
		for _, e := range dst {
			count[e.Index]++
		}
	}
	chi := 0.0
	for _, c := range count {
		chi += (c - 2000) * (c - 2000) / 2000
	}
	if chi > 43.8 { // p = 0.001 at 19 degrees of freedom
		t.Errorf("chi-square %.1f, counts %v", chi, count)
	}
	if d.Sample(5, make([]*Episode, 21), from) == nil || d.Newest(4, dst) == nil {
		t.Error("gave more than are stored")
	}
}

func TestGroupsResumeWithTheirOrder(t *testing.T) {
	whole := NewGroups(10)
	insert := func(d *Groups, i int64) { d.Insert(sample(int(i/12), []int{0, 2, 1, 0}[i/12], i, 1+int(i%4))) }
	for cut := range int64(48) {
		again := NewGroups(10)
		if err := again.Get(through(t, func(f *safetensors.File) { whole.Put(f, "d") }), "d", "room"); err != nil {
			t.Fatal(err)
		}
		for i := cut; i < 48; i++ {
			insert(again, i)
		}
		insert(whole, cut)
		full := NewGroups(10)
		for i := range int64(48) {
			insert(full, i)
		}
		if again.Len() != full.Len() {
			t.Fatalf("cut at %d: %d and %d trajectories", cut, again.Len(), full.Len())
		}
		for head, lists := range contents(full) {
			for task, ids := range lists {
				if !slices.Equal(contents(again)[head][task], ids) {
					t.Fatalf("cut at %d: head %d, task %d: %v, want %v", cut, head, task, contents(again)[head][task], ids)
				}
			}
		}
	}
}
