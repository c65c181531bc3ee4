package macpro

import (
	"encoding/json"
	"fmt"
	"io"

	"macpro/core"
	"macpro/core/nn"
	"macpro/core/safetensors"
)

// The state of the method is one safetensors file:
//
//	replay.*, stream.replay   the buffer D and its stream
//	store.*                   the store D'
//	net.<tensor>              parameters of g, h and f by name
//	adam_g.*, adam_f.*        moments and step counts of the two optimisers
//	anchor                    phi at the last task's end
//	protect.*, stream.protect what the ways mask and distill keep of earlier tasks
//	border.*                  with hidden boundaries, the episodes that are compared
//	centers.*                 heads, means and radii as the last context step left them
//
// Counters, tasks and shapes are JSON in the metadata under "macpro". The
// method's other streams need no state: each is derived from a counter.

const metaKey = "macpro"

type meta struct {
	Spec                         core.EnvSpec   // shapes; empty before the first task
	Teams                        []core.EnvSpec `json:",omitempty"` // all tasks, of teams of changing size
	Tasks                        []taskHead
	Head                         int
	Steps, LastContext, LastSave int64
	Borders                      *borderState `json:",omitempty"`
}

// Save writes the complete state.
func (m *method) Save(w io.Writer) error {
	f := safetensors.New()
	s := meta{m.spec, nil, m.tasks, m.head, m.steps, m.lastContext, m.lastSave, m.borders.save()}
	if m.trainer != nil {
		s.Teams = m.trainer.tasks
	}
	b, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("macpro: save: %w", err)
	}
	f.Meta[metaKey] = string(b)
	m.replay.Put(f)
	m.store.Put(f, "store")
	safetensors.Put(f, "anchor", m.anchor)
	heads, means, radii := make([]int64, 0), make([]float32, 0), make([]float64, 0)
	for _, c := range m.cached {
		heads, means, radii = append(heads, int64(c.head)), append(means, c.mean...), append(radii, c.radius)
	}
	safetensors.Put(f, "centers.head", heads)
	safetensors.Put(f, "centers.mean", means, len(heads), m.cfg.ZDim)
	safetensors.Put(f, "centers.radius", radii)
	m.protection.put(f)
	m.borders.put(f)
	if m.trainer != nil {
		m.trainer.each(func(name string, data []float32, shape ...int) {
			safetensors.Put(f, name, data, shape...)
		})
	}
	return f.Encode(w)
}

// each calls do with every float tensor of the trainer's state.
func (t *trainer) each(do func(name string, data []float32, shape ...int)) {
	for _, p := range []struct {
		net  *nn.Network
		name string
		adam *nn.Adam
	}{{t.g.net, "adam_g.", t.adamG}, {t.f.net, "adam_f.", t.adamF}} {
		for _, w := range p.net.Tensors() {
			do("net."+w.Name, w.Range.Of(p.net.Params), w.Shape...)
		}
		for _, s := range p.adam.State() {
			do(p.name+s.Name, s.Data)
		}
	}
}

// Load restores what Save wrote, after which everything goes on bit for bit. A
// state of other settings is an error that names what differs; the method must
// not be used after it.
func (m *method) Load(r io.Reader) error {
	if err := m.load(r); err != nil {
		return fmt.Errorf("macpro: load: %w", err)
	}
	return nil
}

func (m *method) load(r io.Reader) error {
	f, err := safetensors.Decode(r)
	if err != nil {
		return err
	}
	var s meta
	if err := json.Unmarshal([]byte(f.Meta[metaKey]), &s); err != nil {
		return fmt.Errorf("the file is not a state of macpro: %w", err)
	}
	if heads := m.sv.Learner.Heads(); s.Head < 0 || s.Head >= max(1, heads) {
		return fmt.Errorf("head %d is in training, the learner has %d", s.Head, heads)
	}
	if err := m.replay.Get(f); err != nil {
		return err
	}
	if err := m.store.Get(f, "store", "context_buffer_size"); err != nil {
		return err
	}
	if m.anchor, err = safetensors.Get[float32](f, "anchor"); err != nil {
		return err
	}
	if err := m.loadCenters(f); err != nil {
		return err
	}
	if err := m.protection.get(f, len(m.sv.Learner.Parameters(core.ScopeHead, nil))); err != nil {
		return err
	}
	if err := m.borders.get(f, s.Borders); err != nil {
		return err
	}
	if len(s.Tasks) > 0 {
		m.trainer = nil
		if err := m.serve(s.Spec); err != nil {
			return err
		}
		for _, spec := range s.Teams[min(1, len(s.Teams)):] {
			if err := m.serve(spec); err != nil {
				return err
			}
		}
		m.trainer.each(func(name string, data []float32, shape ...int) {
			if e := safetensors.Fill(f, name, data, shape...); e != nil && err == nil {
				err = e
			}
		})
		if err != nil {
			return err
		}
		m.trainer.g.net.Touch()
		m.trainer.f.net.Touch()
	}
	m.tasks, m.head = s.Tasks, s.Head
	m.steps, m.lastContext, m.lastSave = s.Steps, s.LastContext, s.LastSave
	return m.protect()
}

func (m *method) loadCenters(f *safetensors.File) error {
	heads, err := safetensors.Get[int64](f, "centers.head")
	if err != nil {
		return err
	}
	z := m.cfg.ZDim
	means, err := safetensors.Get[float32](f, "centers.mean", len(heads), z)
	if err != nil {
		return err
	}
	radii := make([]float64, len(heads))
	if err := safetensors.Fill(f, "centers.radius", radii); err != nil {
		return err
	}
	m.cached, m.fresh = nil, freshCenters{}
	for i, k := range heads {
		m.cached = append(m.cached, center{head: int(k), mean: means[i*z : (i+1)*z], radius: radii[i]})
	}
	return nil
}
