package qlearn

import (
	"fmt"
	"math"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/nn"
)

// SetParameters writes a scope's online parameters; see core.WeightEditor.
func (l *Learner) SetParameters(scope core.Scope, values []float32) error {
	at, err := l.scope(scope)
	if err != nil {
		return err
	}
	if len(values) != at.Len() {
		return fmt.Errorf("learner: %d values for scope %q, which has %d parameters", len(values), scope, at.Len())
	}
	if j := notFinite(values); j >= 0 {
		return fmt.Errorf("learner: value %d for scope %q is %v", j, scope, values[j])
	}
	return l.net.SetRange(at, values)
}

// SetFrozen fixes the parameters of the agent that are marked; see
// core.WeightEditor.
func (l *Learner) SetFrozen(frozen []bool) error {
	if frozen == nil {
		l.free = nil
		return nil
	}
	if n := l.agentRange().Len(); len(frozen) != n {
		return fmt.Errorf("learner: %d marks of fixed parameters, scope %q has %d", len(frozen), core.ScopeAgent, n)
	}
	l.free = make([]float32, len(frozen))
	for j, is := range frozen {
		if !is {
			l.free[j] = 1
		}
	}
	return nil
}

// ResetUnits makes units of a layer what they were before any training, with new
// draws from the learner's stream of initial parameters; see core.WeightEditor.
func (l *Learner) ResetUnits(layer string, units []int) error {
	x, err := l.layer(layer)
	if err != nil {
		return err
	}
	if x.In == nil {
		return fmt.Errorf("learner: the units of layer %q have no weights of their own and cannot be reset", layer)
	}
	for _, j := range units {
		if j < 0 || j >= x.Width {
			return fmt.Errorf("learner: unit %d of layer %q, want 0 to %d", j, layer, x.Width-1)
		}
	}
	moments := l.optim.State()[0].Data
	for _, j := range units {
		for _, s := range x.In {
			start := l.initOf(s.Offset)
			s.Each(j, func(p int) {
				l.net.Params[p], moments[p] = float32(start.Value+l.init.Uniform(-start.Bound, start.Bound)), 0
			})
		}
	}
	for _, j := range units { // after all draws: recurrent units read each other
		for _, s := range x.Out {
			s.Each(j, func(p int) { l.net.Params[p], moments[p] = 0, 0 })
		}
	}
	l.net.Touch()
	return nil
}

// initOf is the distribution that a parameter was drawn from.
func (l *Learner) initOf(place int) nn.Init {
	for _, s := range l.net.Segments() {
		for _, t := range s.Tensors {
			if lo := s.Offset + t.Offset; lo <= place && place < lo+t.Len() {
				return t.Init
			}
		}
	}
	return nn.Init{}
}

// Activity reduces the activations of layers; see core.WeightEditor.
func (l *Learner) Activity(batch []*episode.Episode, q core.ActivityQuery) ([]core.Activity, error) {
	if l.tracer == nil {
		l.tracer = l.agent.tracer(l.net)
	}
	all := l.agent.layers()
	sums := make([]*activitySum, len(all))
	var order []*activitySum
	if len(q.Layers) == 0 {
		for _, x := range all {
			q.Layers = append(q.Layers, x.Name)
		}
	}
	for _, name := range q.Layers {
		if _, err := l.layer(name); err != nil {
			return nil, err
		}
		for i, x := range all {
			if x.Name != name {
				continue
			}
			if sums[i] == nil {
				sums[i] = newActivitySum(x, q)
			}
			order = append(order, sums[i])
		}
	}
	err := l.walk(batch, func(spec *core.EnvSpec, _ []*episode.Episode, _ int, s *core.ActStep) error {
		return l.tracer.trace(*spec, s.LastActions, s.Obs, s.Hidden, func(layer int, x []float32) {
			if sums[layer] != nil {
				sums[layer].add(x)
			}
		})
	})
	if err != nil {
		return nil, err
	}
	var out []core.Activity
	for _, s := range order {
		out = append(out, s.mean())
	}
	return out, nil
}

// activitySum adds up what is asked about one layer.
type activitySum struct {
	layer            string
	width, rows      int
	abs, zeros, gram []float64
}

func newActivitySum(x core.Layer, q core.ActivityQuery) *activitySum {
	s := &activitySum{layer: x.Name, width: x.Width}
	if q.MeanAbs {
		s.abs = make([]float64, x.Width)
	}
	if q.Zeros {
		s.zeros = make([]float64, x.Width)
	}
	if q.Gram {
		s.gram = make([]float64, x.Width*x.Width)
	}
	return s
}

func (s *activitySum) add(x []float32) {
	for ; len(x) >= s.width; x = x[s.width:] {
		s.rows++
		row := x[:s.width]
		for j, v := range row {
			if s.abs != nil {
				s.abs[j] += math.Abs(float64(v))
			}
			if s.zeros != nil && v == 0 {
				s.zeros[j]++
			}
		}
		if s.gram == nil {
			continue
		}
		for i, v := range row {
			if v == 0 {
				continue
			}
			for j, w := range row {
				s.gram[i*s.width+j] += float64(v) * float64(w)
			}
		}
	}
}

func (s *activitySum) mean() core.Activity {
	of := func(sum []float64) []float32 {
		if sum == nil {
			return nil
		}
		out := make([]float32, len(sum))
		for j, x := range sum {
			out[j] = float32(x / float64(max(1, s.rows)))
		}
		return out
	}
	return core.Activity{Layer: s.layer, Rows: s.rows, MeanAbs: of(s.abs), Zeros: of(s.zeros), Gram: of(s.gram)}
}
