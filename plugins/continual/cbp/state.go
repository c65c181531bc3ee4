package cbp

import (
	"fmt"
	"io"

	"macpro/core/safetensors"
	"macpro/core/single"
)

// Save writes D, the counters and what is known of the units.
func (m *method) Save(w io.Writer) error { return single.Save(w, m) }

// Load restores what Save wrote.
func (m *method) Load(r io.Reader) error { return single.Load(r, "cbp", m) }

// Put adds the state to f.
func (m *method) Put(f *safetensors.File) {
	f.Meta["task"] = m.task
	m.Buffered.Put(f)
	safetensors.Put(f, "cbp.counts", []int64{m.steps, m.replaced, m.updates})
	due := make([]float64, len(m.layers))
	for i, l := range m.layers {
		safetensors.Put(f, name(i, "utility"), l.utility)
		safetensors.Put(f, name(i, "age"), l.age)
		due[i] = l.due
	}
	safetensors.Put(f, "cbp.due", due)
}

// Get restores what Put added.
func (m *method) Get(f *safetensors.File) error {
	counts, due := make([]int64, 3), make([]float64, len(m.layers))
	if err := safetensors.Fill(f, "cbp.counts", counts); err != nil {
		return err
	}
	if err := safetensors.Fill(f, "cbp.due", due); err != nil {
		return err
	}
	for i := range m.layers {
		l := &m.layers[i]
		if err := safetensors.Fill(f, name(i, "utility"), l.utility); err != nil {
			return err
		}
		if err := safetensors.Fill(f, name(i, "age"), l.age); err != nil {
			return err
		}
		l.due = due[i]
	}
	m.task, m.batch = f.Meta["task"], nil
	m.steps, m.replaced, m.updates = counts[0], counts[1], counts[2]
	return m.Buffered.Get(f)
}

func name(i int, field string) string { return fmt.Sprintf("cbp.%d.%s", i, field) }
