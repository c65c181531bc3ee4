package qlearn

import (
	"fmt"
	"slices"

	"macpro/core"
	"macpro/core/nn"
)

var _ core.Exporter = (*Learner)(nil)

// Weights returns copies of phi, the live head ("head"), the saved heads
// ("head0", "head1", ...) and the mixer, each tensor by name.
func (l *Learner) Weights() []core.Weight {
	var ws []core.Weight
	add := func(name string, shape []int, data []float32) {
		ws = append(ws, core.Weight{Name: name, Shape: slices.Clone(shape), Data: slices.Clone(data)})
	}
	for _, t := range l.net.Tensors() {
		add(t.Name, t.Shape, t.Range.Of(l.net.Params))
	}
	for k, h := range l.saved {
		for _, t := range headTensors(l.agent) {
			add(fmt.Sprintf("head%d%s", k, t.Name), t.Shape, t.Range.Of(h.params))
		}
	}
	return ws
}

// SetWeights replaces online weights by name: every tensor of w must be one of
// phi, the live head or the mixer, with its shape. The target networks, the
// saved heads and the optimiser stay as they are.
func (l *Learner) SetWeights(ws []core.Weight) error {
	ranges := make([]nn.Range, len(ws))
	for i, w := range ws {
		t, err := l.net.Tensor(w.Name)
		if err != nil {
			return fmt.Errorf("learner: %w", err)
		}
		if !slices.Equal(w.Shape, t.Shape) || len(w.Data) != t.Range.Len() {
			return fmt.Errorf("learner: tensor %q has shape %v with %d values, want %v", w.Name, w.Shape, len(w.Data), t.Shape)
		}
		ranges[i] = t.Range
	}
	for i, w := range ws {
		copy(ranges[i].Of(l.net.Params), w.Data)
	}
	l.net.Touch()
	return nil
}
