package episode

import (
	"fmt"
	"slices"

	"macpro/core/rng"
	"macpro/core/safetensors"
)

// Coreset is one store over all seen tasks with a common capacity. When it is
// full the longest list gives way, so that the tasks' shares even out.
type Coreset struct {
	capacity int
	rule     Eviction
	total    int
	lists    []list  // by task index, ascending
	seen     []int64 // episodes offered so far, by list
	keeper
	sampler
}

// Eviction decides which episodes of a task stay in a Coreset.
type Eviction int

// The rules of eviction.
const (
	// Reservoir keeps of every task a uniform sample of all of its episodes.
	Reservoir Eviction = iota
	// Newest keeps the newest episodes of the task that is being collected, and
	// of earlier tasks a uniform sample of what they held at their ends.
	Newest
)

// NewCoreset makes an empty store for up to capacity episodes.
func NewCoreset(capacity int, rule Eviction) *Coreset {
	return &Coreset{capacity: max(1, capacity), rule: rule}
}

// TaskLen is the number of stored episodes of a task.
func (c *Coreset) TaskLen(task int) int {
	if l := c.find(task); l != nil {
		return len(l.eps)
	}
	return 0
}

// Insert offers the store a copy of e. While there is room it is added to the
// list of its task. In a full store the longest list gives way (ties: lowest
// task index). If that is the list of another task, an episode of it that from
// draws makes room. If e's own list would be the longest, it keeps its length. By
// the rule Newest e replaces the oldest episode. By the rule Reservoir e replaces a
// drawn one with probability length / episodes of the task so far (Vitter's
// algorithm R). Otherwise e is not stored.
func (c *Coreset) Insert(e *Episode, from *rng.Stream) {
	own := c.place(e.Task)
	c.seen[own]++
	if c.total < c.capacity {
		c.store(own, e)
		return
	}
	longest, most := 0, -1
	for i := range c.lists {
		n := len(c.lists[i].eps)
		if i == own {
			n++ // as if e was stored
		}
		if n > most {
			longest, most = i, n
		}
	}
	l, gone := &c.lists[longest], 0
	switch {
	case longest != own:
		gone = from.Intn(len(l.eps))
	case c.rule == Reservoir:
		gone = from.Intn(int(c.seen[own]))
	}
	if gone >= len(l.eps) {
		return
	}
	c.drop(l.remove(gone))
	c.total--
	c.store(own, e)
}

// store adds a copy of e to the i-th list.
func (c *Coreset) store(i int, e *Episode) {
	c.lists[i].eps = append(c.lists[i].eps, c.keep(e))
	c.total++
}

// Ready appends to dst the tasks that hold at least k episodes, ascending.
func (c *Coreset) Ready(k int, dst []int) []int {
	for _, l := range c.lists {
		if len(l.eps) >= k {
			dst = append(dst, l.task)
		}
	}
	return dst
}

// Sample fills dst with copies of distinct episodes of one task, uniformly. It
// uses the memory of the episodes in dst and makes those that are nil.
func (c *Coreset) Sample(task int, dst []*Episode, from *rng.Stream) error {
	l := c.find(task)
	if l == nil || len(l.eps) < len(dst) {
		return fmt.Errorf("coreset: %d episodes of task %d wanted, %d stored", len(dst), task, c.TaskLen(task))
	}
	for i, k := range c.draw(len(dst), len(l.eps), from) {
		c.open(l.eps[k], &dst[i])
	}
	return nil
}

// At returns a copy of the i-th oldest episode of a task.
func (c *Coreset) At(task, i int) (e *Episode) {
	c.open(c.find(task).eps[i], &e)
	return e
}

func (c *Coreset) find(task int) *list {
	for i := range c.lists {
		if c.lists[i].task == task {
			return &c.lists[i]
		}
	}
	return nil
}

// place is the rank of a task's list, which is made if there is none.
func (c *Coreset) place(task int) int {
	i, known := slices.BinarySearchFunc(c.lists, task, func(l list, task int) int { return l.task - task })
	if !known {
		c.lists = slices.Insert(c.lists, i, list{task: task})
		c.seen = slices.Insert(c.seen, i, 0)
	}
	return i
}

// Put adds the store's contents to f under names that start with prefix,
// including the number of episodes that each task has offered.
func (c *Coreset) Put(f *safetensors.File, prefix string) {
	var all []*kept
	for _, l := range c.lists {
		all = append(all, l.eps...)
	}
	save(f, prefix, all)
	counts := make([]int64, 0, 2*len(c.lists))
	for i, l := range c.lists {
		counts = append(counts, int64(l.task), c.seen[i])
	}
	safetensors.Put(f, prefix+".seen", counts, len(c.lists), 2)
}

// Get replaces the contents by those that Put added. More episodes than the
// store can hold, or than their task has offered, are an error, which leaves it
// as it was; it calls the capacity by its key.
func (c *Coreset) Get(f *safetensors.File, prefix, key string) error {
	counts, err := safetensors.Get[int64](f, prefix+".seen")
	if err != nil {
		return err
	}
	k, eps, err := load(f, prefix, c.capacity, key)
	if err != nil {
		return fmt.Errorf("coreset: %w", err)
	}
	again := NewCoreset(c.capacity, c.rule)
	for i := 0; i+1 < len(counts); i += 2 {
		again.seen[again.place(int(counts[i]))] = counts[i+1]
	}
	for _, e := range eps {
		l := &again.lists[again.place(e.Task)]
		l.eps = append(l.eps, e)
	}
	for i, l := range again.lists {
		if int64(len(l.eps)) > again.seen[i] {
			return fmt.Errorf("coreset: %d episodes of task %d are stored, %d were collected", len(l.eps), l.task, again.seen[i])
		}
	}
	again.keeper, again.total = k, len(eps)
	*c = *again
	return nil
}
