package episode

import (
	"fmt"

	"macpro/core/rng"
	"macpro/core/safetensors"
)

// Coreset is one store over all seen tasks with a common capacity. When it is
// full the longest list gives way, so that the tasks' shares even out.
type Coreset struct {
	capacity int
	total    int
	lists    []list // by task index, ascending
	keeper
	sampler
}

// NewCoreset makes an empty store for up to capacity episodes.
func NewCoreset(capacity int) *Coreset { return &Coreset{capacity: max(1, capacity)} }

// Len is the number of stored episodes.
func (c *Coreset) Len() int { return c.total }

// TaskLen is the number of stored episodes of a task.
func (c *Coreset) TaskLen(task int) int {
	if l := c.find(task); l != nil {
		return len(l.eps)
	}
	return 0
}

// Insert stores a copy of e in the list of its task. If the store is over its
// capacity then, one episode of the longest list (ties: lowest task index)
// leaves: the oldest if the list is that of e's task or evict is nil, else a
// uniformly drawn one.
func (c *Coreset) Insert(e *Episode, evict *rng.Stream) {
	l := c.find(e.Task)
	if l == nil {
		l = c.add(e.Task)
	}
	l.eps = append(l.eps, c.keep(e))
	if c.total++; c.total <= c.capacity {
		return
	}
	longest := &c.lists[0]
	for i := range c.lists {
		if len(c.lists[i].eps) > len(longest.eps) {
			longest = &c.lists[i]
		}
	}
	i := 0
	if longest.task != e.Task && evict != nil {
		i = evict.Intn(len(longest.eps))
	}
	c.drop(longest.remove(i))
	c.total--
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

// add inserts an empty list in the order of tasks.
func (c *Coreset) add(task int) *list {
	i := 0
	for i < len(c.lists) && c.lists[i].task < task {
		i++
	}
	c.lists = append(c.lists, list{})
	copy(c.lists[i+1:], c.lists[i:])
	c.lists[i] = list{task: task}
	return &c.lists[i]
}

// Put adds the store's contents to f under names that start with prefix.
func (c *Coreset) Put(f *safetensors.File, prefix string) {
	var all []*kept
	for _, l := range c.lists {
		all = append(all, l.eps...)
	}
	save(f, prefix, all)
}

// Get replaces the contents by those that Put added. More episodes than the
// store can hold are an error, which leaves it as it was.
func (c *Coreset) Get(f *safetensors.File, prefix string) error {
	k, eps, err := load(f, prefix, c.capacity, "coreset_capacity")
	if err != nil {
		return fmt.Errorf("coreset: %w", err)
	}
	c.keeper, c.lists, c.total = k, nil, len(eps)
	for _, e := range eps {
		l := c.find(e.Task)
		if l == nil {
			l = c.add(e.Task)
		}
		l.eps = append(l.eps, e)
	}
	return nil
}
