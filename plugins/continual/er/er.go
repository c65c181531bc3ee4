// Package er is experience replay (Chaudhry et al., 2019, "On tiny episodic
// memories"; Rolnick et al., 2019). It has one network, a replay buffer D of the
// current task and a memory M with a uniform sample of each earlier task (package
// rehearsal). A gradient step of B episodes minimises the TD loss of both at once,
//
//	L(D_B1 and M_B2)   with B2 = er_share * B episodes of the memory, B1 = B - B2
//
// as the mean over all transitions. Tasks may differ in shape. The memory also takes
// episodes of the current task. They are drawn once the task is an earlier one; in the
// paper they are drawn at once.
//
// In the first task, and with er_share 0 in all, it is Finetuning bit for bit.
package er

import (
	"fmt"
	"io"
	"math"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/episode"
	"macpro/core/safetensors"
	"macpro/core/single"
	"macpro/plugins/continual/internal/rehearsal"
)

// Plugin registers the method.
type Plugin struct{}

var _ core.MethodPlugin = Plugin{}

// Config is the method's own key beside that of the memory.
type Config struct {
	Share float64 `cfg:"er_share" min:"0" max:"1" help:"share of a gradient step's episodes that come from earlier tasks; 0 makes it Finetuning"`
}

// TaskFree says that the method needs no borders. Without them the memory is a uniform
// sample of all episodes so far, and D is never emptied.
func (Plugin) TaskFree() bool { return true }

// Info describes the method.
func (Plugin) Info() core.Info {
	return core.Info{
		Name:    "er",
		Summary: "one network, every step rehearses earlier tasks beside the current one",
		Version: "1",
		Config:  configs.Read("algs/er.yaml"),
		Schema:  append(config.Schema(Config{}), config.Schema(rehearsal.Config{})...),
	}
}

// New makes the method with an empty buffer and an empty memory.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	m := &method{}
	var c episode.ReplayConfig
	var own Config
	var r rehearsal.Config
	err := config.Decode(s, &c, &own, &r)
	if err != nil {
		return nil, err
	}
	if m.Buffered, err = single.NewBuffered("er", s, sv); err != nil {
		return nil, err
	}
	m.memory = rehearsal.New(r, sv.Source)
	m.free = core.Hidden(s)
	m.old = make([]*episode.Episode, int(math.Round(own.Share*float64(c.BatchSize))))
	return m, nil
}

// method is the buffer D of the current task and the memory of all.
type method struct {
	single.Buffered
	memory *rehearsal.Memory
	task   int
	free   bool               // all of the run is task 0, and all of the memory is rehearsed
	old    []*episode.Episode // of earlier tasks, in the last batch
	batch  []*episode.Episode
}

func (m *method) BeginTask(t core.Task, p core.Progress) error {
	m.task = t.Index
	return m.Buffered.BeginTask(t, p)
}

func (m *method) Collected(e *episode.Episode, p core.Progress) error {
	if len(m.old) > 0 {
		m.memory.Insert(e)
	}
	return m.Buffered.Collected(e, p)
}

// NextBatch draws a batch of D, some of whose episodes give way to older ones.
func (m *method) NextBatch() ([]*episode.Episode, error) {
	now, err := m.Buffered.NextBatch()
	if err != nil || now == nil {
		return nil, err
	}
	before := m.task
	if m.free {
		before++
	}
	old := m.old[:min(len(m.old), m.memory.Old(before))]
	if len(old) == 0 {
		return now, nil
	}
	if err := m.memory.Sample(before, old); err != nil {
		return nil, err
	}
	m.batch = append(append(m.batch[:0], now[len(old):]...), old...)
	return m.batch, nil
}

// Put adds the task, D and the memory to f.
func (m *method) Put(f *safetensors.File) {
	safetensors.Put(f, "task", []int64{int64(m.task)})
	m.Buffered.Put(f)
	m.memory.Put(f)
}

// Get restores what Put added.
func (m *method) Get(f *safetensors.File) error {
	task, err := safetensors.Get[int64](f, "task", 1)
	if err != nil {
		return err
	}
	if m.task = int(task[0]); m.task < 0 {
		return fmt.Errorf("task %d", m.task)
	}
	if err := m.Buffered.Get(f); err != nil {
		return err
	}
	return m.memory.Get(f)
}

func (m *method) Save(w io.Writer) error { return single.Save(w, m) }

func (m *method) Load(r io.Reader) error { return single.Load(r, "er", m) }
