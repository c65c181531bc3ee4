package episode

import (
	"slices"
	"strings"
	"testing"

	"macpro/core/rng"
	"macpro/core/safetensors"
)

// rules are those of eviction, by name.
var rules = map[string]Eviction{"reservoir": Reservoir, "newest": Newest}

// Every task keeps its share, and no list gives way to a longer one.
func TestCoresetSharesEvenOut(t *testing.T) {
	const capacity, tasks = 500, 5
	for name, rule := range rules {
		c := NewCoreset(capacity, rule)
		from := rng.New(1).Child("coreset_evict").Stream()
		for index := range int64(tasks * 2 * capacity) {
			task := int(index) / (2 * capacity)
			before := make([]int, task+1)
			for k := range before {
				before[k] = c.TaskLen(k)
			}
			c.Insert(sample(task, 0, index, 1), from)
			longest := max(slices.Max(before), before[task]+1)
			for k, n := range before {
				if c.TaskLen(k) < n && n < longest {
					t.Fatalf("%s: episode %d of task %d took room from task %d, which held %d of at most %d", name, index, task, k, n, longest)
				}
			}
			if c.total != min(int(index)+1, capacity) {
				t.Fatalf("%s: %d episodes in a store of %d after %d", name, c.total, capacity, index+1)
			}
			if index%(2*capacity) != 2*capacity-1 {
				continue
			}
			for k := range task + 1 {
				if n := c.TaskLen(k); n < capacity/(task+1)-1 || n > capacity/(task+1)+1 {
					t.Errorf("%s: after task %d: %d episodes of task %d, want about %d", name, task, n, k, capacity/(task+1))
				}
			}
		}
	}
}

// held counts which of a task's episodes, cut into tenths by their age, are in
// the store at the end, over many stores: each of three tasks has 300 episodes,
// 40 fit.
func held(rule Eviction, task int) (tenths [10]float64) {
	for seed := range uint64(200) {
		c := NewCoreset(40, rule)
		from := rng.New(seed).Child("coreset_evict").Stream()
		for i := range int64(900) {
			c.Insert(sample(int(i/300), 0, i%300, 1), from)
		}
		for i := range c.TaskLen(task) {
			tenths[c.At(task, i).Index/30]++
		}
	}
	return tenths
}

// Of every task, the one in training included, a reservoir holds each episode
// with the same probability: chi-square over tenths of the task's course stays
// below its bound. The newest rule fails the same bound everywhere.
func TestCoresetReservoirIsUniform(t *testing.T) {
	const bound = 27.9 // p = 0.001 at 9 degrees of freedom
	for task := range 3 {
		for name, rule := range rules {
			tenths := held(rule, task)
			total, chi := 0.0, 0.0
			for _, n := range tenths {
				total += n
			}
			for _, n := range tenths {
				chi += (n - total/10) * (n - total/10) / (total / 10)
			}
			if total < 200*13 || (chi <= bound) != (rule == Reservoir) {
				t.Errorf("%s, task %d: chi-square %.1f, tenths %v", name, task, chi, tenths)
			}
		}
	}
}

// The newest rule keeps the latest of the current task, and of earlier ones a
// spread of what they held.
func TestCoresetNewest(t *testing.T) {
	c := NewCoreset(40, Newest)
	from := rng.New(1).Stream()
	for i := range int64(200) {
		c.Insert(sample(int(i/100), 0, i, 1), from)
	}
	for i := range 20 {
		if got := c.At(1, i).Index; got != int64(180+i) {
			t.Errorf("the current task's episode %d is %d", i, got)
		}
	}
	if first, last := c.At(0, 0).Index, c.At(0, 19).Index; first < 60 || last-first < 20 {
		t.Errorf("task 0 holds %d to %d", first, last)
	}
}

func TestCoresetSamplesOneReadyTask(t *testing.T) {
	c := NewCoreset(100, Reservoir)
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
	for name, rule := range rules {
		whole := NewCoreset(20, rule)
		from := rng.New(4).Stream()
		for i := range int64(45) {
			whole.Insert(sample(int(i/15), 0, i, 1+int(i%3)), from)
		}
		again := NewCoreset(20, rule)
		if err := again.Get(through(t, func(f *safetensors.File) { whole.Put(f, "c") }), "c", "room"); err != nil {
			t.Fatal(err)
		}
		twin := *from
		for i := int64(45); i < 90; i++ {
			whole.Insert(sample(2+int(i)/70, 0, i, 1), from)
			again.Insert(sample(2+int(i)/70, 0, i, 1), &twin)
		}
		for task := range 4 {
			for i := range whole.TaskLen(task) {
				if !equal(whole.At(task, i), again.At(task, i)) {
					t.Fatalf("%s: task %d, episode %d differs", name, task, i)
				}
			}
		}
		if whole.total != again.total || *from != twin {
			t.Errorf("%s: sizes or streams differ", name)
		}
	}
}

// A store with more episodes than were collected is refused as a whole.
func TestCoresetRefusesWrongCounts(t *testing.T) {
	c := NewCoreset(20, Reservoir)
	for i := range int64(5) {
		c.Insert(sample(0, 0, i, 1), nil)
	}
	c.seen[0] = 4
	f := through(t, func(f *safetensors.File) { c.Put(f, "c") })
	err := c.Get(f, "c", "room")
	if err == nil || err.Error() != "coreset: 5 episodes of task 0 are stored, 4 were collected" || c.total != 5 {
		t.Errorf("%v, %d episodes", err, c.total)
	}
	small := NewCoreset(3, Reservoir)
	c.seen[0] = 5
	err = small.Get(through(t, func(f *safetensors.File) { c.Put(f, "c") }), "c", "room_in_all")
	if err == nil || !strings.Contains(err.Error(), "room for 3 (room_in_all)") {
		t.Errorf("a store too small: %v", err)
	}
}
