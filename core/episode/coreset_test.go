package episode

import (
	"slices"
	"testing"

	"macpro/core/rng"
	"macpro/core/safetensors"
)

func TestCoresetSharesEvenOut(t *testing.T) {
	const capacity, tasks = 500, 5
	c := NewCoreset(capacity)
	evict := rng.New(1).Child("coreset_evict").Stream()
	index := int64(0)
	for task := range tasks {
		for range 2 * capacity {
			before := make([]int, task)
			for k := range before {
				before[k] = c.TaskLen(k)
			}
			c.Insert(sample(task, 0, index, 1), evict)
			index++
			longest := slices.Max(append(slices.Clone(before), c.TaskLen(task)))
			for k, n := range before {
				if c.TaskLen(k) < n && n < longest {
					t.Fatalf("episode %d of task %d evicted from task %d, which held %d of at most %d", index, task, k, n, longest)
				}
			}
			if c.Len() > capacity {
				t.Fatalf("%d episodes in a store of %d", c.Len(), capacity)
			}
		}
		for k := range task + 1 {
			if n := c.TaskLen(k); n < capacity/(task+1)-1 || n > capacity/(task+1)+1 {
				t.Errorf("after task %d: %d episodes of task %d, want about %d", task, n, k, capacity/(task+1))
			}
		}
	}
	// The current task has kept its newest, an old one a spread of its own.
	if got := c.At(tasks-1, 0).Index; got != index-int64(c.TaskLen(tasks-1)) {
		t.Errorf("oldest episode of the current task is %d", got)
	}
	spread := c.At(0, c.TaskLen(0)-1).Index - c.At(0, 0).Index
	if spread < capacity/2 {
		t.Errorf("random eviction left task 0 with a range of %d", spread)
	}
}

func TestCoresetEvictsTheOldestWithoutAStream(t *testing.T) {
	c := NewCoreset(4)
	for i := range int64(4) {
		c.Insert(sample(0, 0, i, 1), nil)
	}
	c.Insert(sample(1, 0, 4, 1), nil)
	c.Insert(sample(1, 0, 5, 1), nil) // 3 against 2: task 0 again
	if got := []int64{c.At(0, 0).Index, c.At(0, 1).Index, c.At(1, 0).Index, c.At(1, 1).Index}; !slices.Equal(got, []int64{2, 3, 4, 5}) {
		t.Errorf("kept %v", got)
	}
	c.Insert(sample(1, 0, 6, 1), nil) // now task 1 is the longest
	if c.TaskLen(0) != 2 || c.At(1, 0).Index != 5 {
		t.Error("a tie of 2 and 3 must hit the longer list")
	}
}

func TestCoresetSamplesOneReadyTask(t *testing.T) {
	c := NewCoreset(100)
	for i := range int64(30) {
		c.Insert(sample(int(i%3), 0, i, 1), nil)
	}
	c.Insert(sample(7, 0, 99, 1), nil)
	if got := c.Ready(10, nil); !slices.Equal(got, []int{0, 1, 2}) {
		t.Fatalf("tasks with 10 episodes: %v", got)
	}
	pick, from := rng.New(3).Child("task").Stream(), rng.New(3).Stream()
	var count [3]float64
	dst := make([]*Episode, 6)
	for range 10000 {
		ready := c.Ready(10, nil)
		task := ready[pick.Intn(len(ready))]
		if err := c.Sample(task, dst, from); err != nil {
			t.Fatal(err)
		}
		for _, e := range dst {
			if e.Task != task {
				t.Fatalf("task %d in a batch of task %d", e.Task, task)
			}
		}
		count[task]++
	}
	chi := 0.0
	for _, n := range count {
		chi += (n - 10000.0/3) * (n - 10000.0/3) / (10000.0 / 3)
	}
	if chi > 13.8 { // p = 0.001 at 2 degrees of freedom
		t.Errorf("chi-square %.1f, counts %v", chi, count)
	}
	if c.Sample(7, dst, from) == nil || c.Sample(5, dst, from) == nil {
		t.Error("sampled six of fewer")
	}
}

func TestCoresetResumes(t *testing.T) {
	whole := NewCoreset(20)
	evict := rng.New(4).Stream()
	for i := range int64(45) {
		whole.Insert(sample(int(i/15), 0, i, 1+int(i%3)), evict)
	}
	again := NewCoreset(20)
	if err := again.Get(through(t, func(f *safetensors.File) { whole.Put(f, "c") }), "c"); err != nil {
		t.Fatal(err)
	}
	twin := *evict
	for i := int64(45); i < 90; i++ {
		whole.Insert(sample(3, 0, i, 1), evict)
		again.Insert(sample(3, 0, i, 1), &twin)
	}
	for task := range 4 {
		for i := range whole.TaskLen(task) {
			if !equal(whole.At(task, i), again.At(task, i)) {
				t.Fatalf("task %d, episode %d differs", task, i)
			}
		}
	}
	if whole.Len() != again.Len() {
		t.Error("sizes differ")
	}
}
