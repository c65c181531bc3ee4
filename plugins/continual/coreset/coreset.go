// Package coreset is plain rehearsal, the baseline "Coreset" of the paper: one
// head and one store of a fixed size over all tasks seen so far, in equal shares
// and never emptied. Every gradient step draws a task uniformly among those
// with a full batch, and a batch of it; the current task has no priority. Until
// it has a batch the earlier ones are rehearsed. So is the mixer.
//
// What the store holds of a task is a uniform sample of all of its episodes
// (reservoir sampling), so that the exploration of a task's beginning stays.
// With coreset_evict newest it is the newest episodes while a task is trained.
//
// Until the store is full, and with coreset_evict newest in all of the first
// task, Coreset is Finetuning bit for bit, if the store is as large as the
// buffer D.
package coreset

import (
	"fmt"
	"io"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/episode"
	"macpro/core/rng"
	"macpro/core/safetensors"
	"macpro/core/single"
)

// Plugin registers the method.
type Plugin struct{}

var (
	_ core.MethodPlugin = Plugin{}
	_ core.Matcher      = Plugin{}
)

// Config are the method's own keys.
type Config struct {
	Capacity int    `cfg:"coreset_capacity" min:"1" help:"episodes in the store, all tasks together"`
	Evict    string `cfg:"coreset_evict" enum:"reservoir,newest" help:"what a full store keeps of a task: reservoir (a uniform sample of all its episodes) or newest (the latest while it is trained)"`
}

var rules = map[string]episode.Eviction{"reservoir": episode.Reservoir, "newest": episode.Newest}

// batch is the shared key that the method needs.
type batch struct {
	Size int `cfg:"batch_size" min:"1" help:"episodes in a gradient step"`
}

// Info describes the method.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "coreset",
		Summary: "one network, episodes of all tasks are rehearsed in equal shares",
		Version: "2",
		Config:  configs.Read("algs/coreset.yaml"),
		Schema:  config.Schema(Config{}),
	}
}

// Match refuses a store whose shares become too small to train on.
func (Plugin) Match(p core.Pairing) error {
	var c Config
	var b batch
	if err := config.Decode(p.Settings, &c, &b); err != nil {
		return err
	}
	if share := c.Capacity / max(1, len(p.Tasks)); share < b.Size {
		return fmt.Errorf("with coreset_capacity %d each of %d tasks keeps %d episodes in the end, fewer than batch_size %d: no task could be rehearsed",
			c.Capacity, len(p.Tasks), share, b.Size)
	}
	return nil
}

// New makes the method with an empty store.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	m := &method{One: "coreset", journal: sv.Journal}
	var c Config
	var b batch
	if err := config.Decode(s, &c, &b); err != nil {
		return nil, err
	}
	m.store, m.batch = episode.NewCoreset(c.Capacity, rules[c.Evict]), make([]*episode.Episode, b.Size)
	m.replay = sv.Source.Child("replay").Stream()
	m.choose = sv.Source.Child("coreset_task").Stream()
	m.evict = sv.Source.Child("coreset_evict").Stream()
	return m, nil
}

// method is the store and its draws.
type method struct {
	single.One
	journal core.Journal
	store   *episode.Coreset
	batch   []*episode.Episode

	replay, choose, evict *rng.Stream

	task    core.Task
	batches []int64 // drawn from each task since the current one began
	ready   []int   // scratch
}

func (m *method) BeginTask(t core.Task, _ core.Progress) error {
	m.task, m.batches = t, make([]int64, t.Index+1)
	return nil
}

func (m *method) Collected(e *episode.Episode, _ core.Progress) error {
	m.store.Insert(e, m.evict)
	return nil
}

// NextBatch draws a task, then episodes of it. All episodes of a batch belong
// to one task, so the learner is set to that task's shapes for the step.
func (m *method) NextBatch() ([]*episode.Episode, error) {
	m.ready = m.store.Ready(len(m.batch), m.ready[:0])
	if len(m.ready) == 0 {
		return nil, nil
	}
	task := m.ready[m.choose.Intn(len(m.ready))]
	if err := m.store.Sample(task, m.batch, m.replay); err != nil {
		return nil, err
	}
	m.batches[task]++
	return m.batch, nil
}

func (m *method) Trained(core.Progress) error { return nil }

// EndTask tells how the store and the updates were shared.
func (m *method) EndTask(p core.Progress) error {
	sizes := make([]int, m.task.Index+1)
	for i := range sizes {
		sizes[i] = m.store.TaskLen(i)
	}
	return m.journal.Emit(core.Event{Kind: "coreset", TEnv: p.TEnv, Episode: p.Episode, Task: m.task.Spec.Task, Fields: map[string]any{
		"sizes": sizes, "batches": m.batches,
	}})
}

// Put adds the state to f: the task, the store and what was drawn from it.
func (m *method) Put(f *safetensors.File) {
	f.Meta["task"] = m.task.Spec.Task
	m.store.Put(f, "coreset")
	safetensors.Put(f, "batches", m.batches)
	for name, s := range m.streams() {
		safetensors.Put(f, name, s.AppendState(nil))
	}
}

// Get restores what Put added.
func (m *method) Get(f *safetensors.File) (err error) {
	if m.batches, err = safetensors.Get[int64](f, "batches"); err != nil {
		return err
	}
	m.task.Index, m.task.Spec.Task = len(m.batches)-1, f.Meta["task"]
	for name, s := range m.streams() {
		if err := safetensors.Restore(f, name, s); err != nil {
			return err
		}
	}
	if err := m.store.Get(f, "coreset", "coreset_capacity"); err != nil {
		return err
	}
	for _, task := range m.store.Ready(1, nil) {
		if task < 0 || task >= len(m.batches) {
			return fmt.Errorf("episodes of task %d when %d tasks have begun", task, len(m.batches))
		}
	}
	return nil
}

func (m *method) Save(w io.Writer) error { return single.Save(w, m) }

func (m *method) Load(r io.Reader) error { return single.Load(r, "coreset", m) }

func (m *method) streams() map[string]*rng.Stream {
	return map[string]*rng.Stream{"stream.replay": m.replay, "stream.coreset_task": m.choose, "stream.coreset_evict": m.evict}
}
