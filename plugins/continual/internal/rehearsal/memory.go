// Package rehearsal keeps episodes of all tasks and draws those of earlier ones:
// a uniform sample of every task (Vitter's algorithm R) in one store, whose
// shares even out as tasks are added.
package rehearsal

import (
	"fmt"

	"macpro/core/episode"
	"macpro/core/rng"
	"macpro/core/safetensors"
)

// Config holds the key of the store.
type Config struct {
	Capacity int `cfg:"memory_size" min:"1" help:"episodes in the memory of earlier tasks, all tasks together"`
}

// Memory is the store and its streams.
type Memory struct {
	store      *episode.Coreset
	keep, draw *rng.Stream
	counts     []int // scratch
}

// New makes an empty memory with the streams "memory_keep" and "memory_draw".
func New(c Config, src rng.Source) *Memory {
	return &Memory{
		store: episode.NewCoreset(c.Capacity, episode.Reservoir),
		keep:  src.Child("memory_keep").Stream(), draw: src.Child("memory_draw").Stream(),
	}
}

// Insert offers the memory a copy of an episode.
func (m *Memory) Insert(e *episode.Episode) { m.store.Insert(e, m.keep) }

// Old is the number of stored episodes of the tasks before one.
func (m *Memory) Old(before int) int {
	n := 0
	for task := range before {
		n += m.store.TaskLen(task)
	}
	return n
}

// Sample fills dst with copies of distinct episodes of the tasks before one, all
// of them with equal odds. There must be that many. It uses the memory of the
// episodes in dst and makes those that are nil.
func (m *Memory) Sample(before int, dst []*episode.Episode) error {
	left := m.Old(before)
	if left < len(dst) {
		return fmt.Errorf("memory: %d episodes of the tasks before %d wanted, %d stored", len(dst), before, left)
	}
	m.counts = append(m.counts[:0], make([]int, before)...)
	for range dst {
		k := m.draw.Intn(left)
		for task := range m.counts {
			free := m.store.TaskLen(task) - m.counts[task]
			if k < free {
				m.counts[task]++
				break
			}
			k -= free
		}
		left--
	}
	for task, n := range m.counts {
		if n == 0 {
			continue
		}
		if err := m.store.Sample(task, dst[:n], m.draw); err != nil {
			return err
		}
		dst = dst[n:]
	}
	return nil
}

// Put adds the memory to f.
func (m *Memory) Put(f *safetensors.File) {
	m.store.Put(f, "memory")
	safetensors.Put(f, "stream.memory_keep", m.keep.AppendState(nil))
	safetensors.Put(f, "stream.memory_draw", m.draw.AppendState(nil))
}

// Get restores what Put added, after which the same draws follow.
func (m *Memory) Get(f *safetensors.File) error {
	for name, s := range map[string]*rng.Stream{"stream.memory_keep": m.keep, "stream.memory_draw": m.draw} {
		if err := safetensors.Restore(f, name, s); err != nil {
			return err
		}
	}
	return m.store.Get(f, "memory", "memory_size")
}
