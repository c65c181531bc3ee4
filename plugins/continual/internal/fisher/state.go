package fisher

import (
	"fmt"

	"macpro/core/safetensors"
)

// Put adds everything that is kept to f: fisher.<i>.importance and
// fisher.<i>.anchor for every term, and counters.
func (p *Protection) Put(f *safetensors.File) {
	safetensors.Put(f, "fisher", []int64{int64(len(p.terms)), p.logged})
	safetensors.Put(f, "stream.fisher", p.draw.AppendState(nil))
	for i, t := range p.terms {
		safetensors.Put(f, name(i, "importance"), t.importance)
		safetensors.Put(f, name(i, "anchor"), t.anchor)
	}
}

// Get restores what Put added and hands the penalty to the learner.
func (p *Protection) Get(f *safetensors.File) error {
	counts := make([]int64, 2)
	if err := safetensors.Fill(f, "fisher", counts); err != nil {
		return err
	}
	if counts[0] < 0 || counts[0] > int64(len(f.Names())) {
		return fmt.Errorf("%d protected tasks in %d tensors", counts[0], len(f.Names()))
	}
	if err := safetensors.Restore(f, "stream.fisher", p.draw); err != nil {
		return err
	}
	p.terms, p.logged = nil, counts[1]
	size := len(p.learner.Parameters(p.scope, nil))
	for i := range int(counts[0]) {
		t := term{make([]float32, size), make([]float32, size)}
		if err := safetensors.Fill(f, name(i, "importance"), t.importance); err != nil {
			return err
		}
		if err := safetensors.Fill(f, name(i, "anchor"), t.anchor); err != nil {
			return err
		}
		p.terms = append(p.terms, t)
	}
	return p.apply()
}

func name(i int, field string) string { return fmt.Sprintf("fisher.%d.%s", i, field) }
