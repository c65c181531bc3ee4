// Command agem is a plugin with a continual method that edits gradients: averaged
// gradient episodic memory (A-GEM, Chaudhry et al., 2019). Where the gradient g of
// a step opposes the gradient g_ref of episodes of earlier tasks, the step is made
// of
//
//	g - (g.g_ref / g_ref.g_ref) g_ref
//
// It computes the bits of macpro's own method of that name.
package main

import (
	"io"

	"macpro/core"
	"macpro/core/config"
	"macpro/core/episode"
	"macpro/core/names"
	"macpro/core/nn"
	"macpro/core/rng"
	"macpro/core/safetensors"
	"macpro/registry/remote"
)

func main() { remote.Serve(Plugin{}) }

// Config holds the keys of the method.
type Config struct {
	Batch int `cfg:"my_agem_batch" min:"1" help:"episodes of earlier tasks behind the gradient that no step may oppose"`
	Size  int `cfg:"my_agem_memory" min:"1" help:"episodes in the memory of earlier tasks, all tasks together"`
}

// Plugin is the method "my_agem".
type Plugin struct{}

var (
	_ core.MethodPlugin = Plugin{}
	_ core.Matcher      = Plugin{}
)

// Info describes the method.
func (Plugin) Info() core.Info {
	return core.Info{
		Name: "my_agem", Summary: "finetuning that takes no step against the gradient of earlier tasks", Version: "1",
		Config: []byte("my_agem_batch: 32     # episodes of earlier tasks behind that gradient\nmy_agem_memory: 1000  # episodes in the memory\n"),
		Schema: config.Schema(Config{}),
	}
}

// Match refuses learners that show no gradients.
func (Plugin) Match(p core.Pairing) error { return p.Needs(core.AbilityGradients) }

// New makes the method with an empty buffer and an empty memory.
func (Plugin) New(s core.Settings, sv core.Services) (core.Method, error) {
	var r episode.ReplayConfig
	var c Config
	if err := config.Decode(s, &r); err != nil {
		return nil, err
	}
	if err := config.Decode(s, &c); err != nil {
		return nil, err
	}
	replay, err := episode.NewReplay(r, sv.Source)
	if err != nil {
		return nil, err
	}
	m := &method{
		learner: core.AbilitiesOf(sv.Learner).Gradients, replay: replay,
		memory: episode.NewCoreset(c.Size, episode.Reservoir), old: make([]*episode.Episode, c.Batch),
		keep: sv.Source.Child("memory_keep").Stream(), draw: sv.Source.Child("memory_draw").Stream(),
	}
	return m, m.learner.SetGradientHook(m.project)
}

type method struct {
	learner    core.GradientEditor
	replay     *episode.Replay  // of the current task
	memory     *episode.Coreset // of all tasks
	keep, draw *rng.Stream
	old        []*episode.Episode
	ref        []float32
	task       int
}

// project edits the gradient of every step.
func (m *method) project(g []float32) error {
	old, err := m.sample()
	if err != nil || len(old) == 0 {
		return err
	}
	if m.ref, err = m.learner.Gradient(core.ScopeAll, old, m.ref[:0]); err != nil {
		return err
	}
	if along, size := nn.Dot(g, m.ref), nn.SumSq(m.ref); along < 0 {
		nn.Axpy(g, float32(-along/size), m.ref)
	}
	return nil
}

// sample draws episodes of earlier tasks, all with equal odds.
func (m *method) sample() ([]*episode.Episode, error) {
	left := make([]int, m.task) // by task
	all := 0
	for task := range left {
		left[task] = m.memory.TaskLen(task)
		all += left[task]
	}
	old := m.old[:min(len(m.old), all)]
	wanted := make([]int, m.task)
	for range old {
		k, task := m.draw.Intn(all), 0
		for ; k >= left[task]; task++ {
			k -= left[task]
		}
		left[task]--
		wanted[task]++
		all--
	}
	rest := old
	for task, n := range wanted {
		if n > 0 {
			if err := m.memory.Sample(task, rest[:n], m.draw); err != nil {
				return nil, err
			}
			rest = rest[n:]
		}
	}
	return old, nil
}

func (m *method) BeginTask(t core.Task, _ core.Progress) error {
	m.task = t.Index
	m.replay.Clear()
	return nil
}

func (m *method) Collected(e *episode.Episode, _ core.Progress) error {
	m.replay.Insert(e)
	m.memory.Insert(e, m.keep)
	return nil
}

func (m *method) NextBatch() ([]*episode.Episode, error) { return m.replay.NextBatch() }
func (m *method) Trained(core.Progress) error            { return nil }
func (m *method) EndTask(core.Progress) error            { return nil }
func (m *method) Head() int                              { return 0 }
func (m *method) Report() core.MethodReport              { return core.MethodReport{} }
func (m *method) Modes() []string                        { return []string{"single"} }

func (m *method) ChooseHeads(_ core.Task, mode string, _ core.Evaluation) (core.HeadPlan, error) {
	if mode != "single" {
		return core.HeadPlan{}, names.Unknown("test mode of my_agem", mode, m.Modes())
	}
	return core.HeadPlan{}, nil
}

// Save writes buffer, memory and streams.
func (m *method) Save(w io.Writer) error {
	f := safetensors.New()
	safetensors.Put(f, "task", []int64{int64(m.task)})
	safetensors.Put(f, "keep", m.keep.AppendState(nil))
	safetensors.Put(f, "draw", m.draw.AppendState(nil))
	m.replay.Put(f)
	m.memory.Put(f, "memory")
	return f.Encode(w)
}

// Load restores them; the hook is set since New.
func (m *method) Load(r io.Reader) error {
	f, err := safetensors.Decode(r)
	if err != nil {
		return err
	}
	task, err := safetensors.Get[int64](f, "task", 1)
	if err != nil {
		return err
	}
	m.task = int(task[0])
	for name, s := range map[string]*rng.Stream{"keep": m.keep, "draw": m.draw} {
		state, err := safetensors.Get[uint8](f, name)
		if err != nil {
			return err
		}
		if err := s.UnmarshalBinary(state); err != nil {
			return err
		}
	}
	if err := m.replay.Get(f); err != nil {
		return err
	}
	return m.memory.Get(f, "memory", "my_agem_memory")
}
