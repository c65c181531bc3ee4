package episode

import (
	"cmp"
	"fmt"
	"slices"

	"macpro/core/rng"
	"macpro/core/safetensors"
)

// Groups is the store D' of MACPro: the newest trajectories of every group,
// that is of a head and all tasks assigned to it, with a common capacity. When
// it is full the largest group gives way, so that the groups' shares even out.
type Groups struct {
	capacity int
	total    int
	groups   []group // in the order of their first trajectories
	keeper
	sampler
	newest []*kept
}

// group holds the trajectories of one head, a list for each of its tasks in
// the order of their first trajectories.
type group struct {
	head  int
	lists []list
}

func (g *group) size() int {
	n := 0
	for _, l := range g.lists {
		n += len(l.eps)
	}
	return n
}

// at returns the i-th trajectory, task after task, each oldest first.
func (g *group) at(i int) *kept {
	for _, l := range g.lists {
		if i < len(l.eps) {
			return l.eps[i]
		}
		i -= len(l.eps)
	}
	return nil
}

// NewGroups makes an empty store for up to capacity trajectories.
func NewGroups(capacity int) *Groups { return &Groups{capacity: max(1, capacity)} }

// Len is the number of stored trajectories.
func (d *Groups) Len() int { return d.total }

// Heads appends the heads that have trajectories or had some, in the order of
// their first one.
func (d *Groups) Heads(dst []int) []int {
	for _, g := range d.groups {
		dst = append(dst, g.head)
	}
	return dst
}

// HeadLen is the number of stored trajectories of a head.
func (d *Groups) HeadLen(head int) int {
	if g := d.find(head); g != nil {
		return g.size()
	}
	return 0
}

// TaskLen is the number of stored trajectories of a task within a head.
func (d *Groups) TaskLen(head, task int) int {
	if g := d.find(head); g != nil {
		for _, l := range g.lists {
			if l.task == task {
				return len(l.eps)
			}
		}
	}
	return 0
}

// Insert stores a copy of e under e.Head and e.Task. If the store is full the
// oldest trajectory of the largest list (ties: the earliest) of the largest
// group (ties: the latest) leaves first.
func (d *Groups) Insert(e *Episode) {
	if d.total >= d.capacity {
		d.evict()
	}
	l := d.list(e.Head, e.Task)
	l.eps = append(l.eps, d.keep(e))
	d.total++
}

func (d *Groups) evict() {
	largest, most := &d.groups[0], -1
	for i := range d.groups {
		if n := d.groups[i].size(); n >= most {
			largest, most = &d.groups[i], n
		}
	}
	longest := &largest.lists[0]
	for i := range largest.lists {
		if len(largest.lists[i].eps) > len(longest.eps) {
			longest = &largest.lists[i]
		}
	}
	d.drop(longest.remove(0))
	d.total--
}

// Sample fills dst with copies of distinct trajectories of a head, uniformly
// over all of its tasks. It uses the memory of the episodes in dst and makes
// those that are nil.
func (d *Groups) Sample(head int, dst []*Episode, from *rng.Stream) error {
	if err := d.enough(head, len(dst)); err != nil {
		return err
	}
	g := d.find(head)
	for i, k := range d.draw(len(dst), g.size(), from) {
		d.open(g.at(k), &dst[i])
	}
	return nil
}

// Newest fills dst, like Sample, with the trajectories of a head that were
// collected last, newest first, by Episode.Index.
func (d *Groups) Newest(head int, dst []*Episode) error {
	if err := d.enough(head, len(dst)); err != nil {
		return err
	}
	d.newest = d.newest[:0]
	for _, l := range d.find(head).lists {
		d.newest = append(d.newest, l.eps[max(0, len(l.eps)-len(dst)):]...)
	}
	slices.SortFunc(d.newest, func(a, b *kept) int { return cmp.Compare(b.Index, a.Index) })
	for i := range dst {
		d.open(d.newest[i], &dst[i])
	}
	return nil
}

func (d *Groups) enough(head, k int) error {
	if n := d.HeadLen(head); n < k {
		return fmt.Errorf("store D': %d trajectories of head %d wanted, %d stored", k, head, n)
	}
	return nil
}

func (d *Groups) find(head int) *group {
	for i := range d.groups {
		if d.groups[i].head == head {
			return &d.groups[i]
		}
	}
	return nil
}

// list returns the list of a head and task, made if there is none.
func (d *Groups) list(head, task int) *list {
	g := d.find(head)
	if g == nil {
		d.groups = append(d.groups, group{head: head})
		g = &d.groups[len(d.groups)-1]
	}
	for i := range g.lists {
		if g.lists[i].task == task {
			return &g.lists[i]
		}
	}
	g.lists = append(g.lists, list{task: task})
	return &g.lists[len(g.lists)-1]
}

// Put adds the store's contents to f under names that start with prefix,
// including lists that have become empty, whose rank decides later ties.
func (d *Groups) Put(f *safetensors.File, prefix string) {
	var all []*kept
	var order []int64
	for _, g := range d.groups {
		for _, l := range g.lists {
			order = append(order, int64(g.head), int64(l.task))
			all = append(all, l.eps...)
		}
	}
	save(f, prefix, all)
	safetensors.Put(f, prefix+".groups", order, len(order)/2, 2)
}

// Get replaces the contents by those that Put added. More trajectories than the
// store can hold are an error, which leaves it as it was; it calls the capacity
// by its key.
func (d *Groups) Get(f *safetensors.File, prefix, key string) error {
	order, err := safetensors.Get[int64](f, prefix+".groups")
	if err != nil {
		return err
	}
	k, eps, err := load(f, prefix, d.capacity, key)
	if err != nil {
		return fmt.Errorf("store D': %w", err)
	}
	d.keeper, d.groups, d.total = k, nil, len(eps)
	for i := 0; i+1 < len(order); i += 2 {
		d.list(int(order[i]), int(order[i+1]))
	}
	for _, e := range eps {
		l := d.list(e.Head, e.Task)
		l.eps = append(l.eps, e)
	}
	return nil
}
