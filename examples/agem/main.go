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
	"macpro/core/nn"
	"macpro/core/rng"
	"macpro/core/safetensors"
	"macpro/core/single"
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
	var c Config
	if err := config.Decode(s, &c); err != nil {
		return nil, err
	}
	buffered, err := single.NewBuffered("my_agem", s, sv)
	if err != nil {
		return nil, err
	}
	m := &method{
		Buffered: buffered, learner: core.AbilitiesOf(sv.Learner).Gradients,
		memory: episode.NewCoreset(c.Size, episode.Reservoir), old: make([]*episode.Episode, c.Batch),
		keep: sv.Source.Child("memory_keep").Stream(), draw: sv.Source.Child("memory_draw").Stream(),
	}
	return m, m.learner.SetGradientHook(m.project)
}

// method has a buffer of the current task and one head, as Finetuning, and a memory
// of all tasks.
type method struct {
	single.Buffered
	learner    core.GradientEditor
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

func (m *method) BeginTask(t core.Task, p core.Progress) error {
	m.task = t.Index
	return m.Buffered.BeginTask(t, p)
}

func (m *method) Collected(e *episode.Episode, p core.Progress) error {
	m.memory.Insert(e, m.keep)
	return m.Buffered.Collected(e, p)
}

// Save writes buffer, memory and streams.
func (m *method) Save(w io.Writer) error {
	f := safetensors.New()
	safetensors.Put(f, "task", []int64{int64(m.task)})
	safetensors.Put(f, "keep", m.keep.AppendState(nil))
	safetensors.Put(f, "draw", m.draw.AppendState(nil))
	m.Put(f)
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
		if err := safetensors.Restore(f, name, s); err != nil {
			return err
		}
	}
	if err := m.Get(f); err != nil {
		return err
	}
	return m.memory.Get(f, "memory", "my_agem_memory")
}
