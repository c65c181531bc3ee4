package qlearn

import (
	"fmt"

	"macpro/core"
	"macpro/core/nn"
)

// stack is a stack of layers whose activations are all kept.
type stack struct {
	layers []*nn.Dense
	widths []int
	x      [][]float32
}

// newStack takes the first n layers of a module.
func newStack(net *nn.Network, m nn.MLP, n int) stack {
	s := stack{x: make([][]float32, n)}
	for i := range n {
		s.layers = append(s.layers, nn.NewDense(net, single(m, i)))
		s.widths = append(s.widths, m.Widths[i+1])
	}
	return s
}

// apply computes the layers and shows each of them; the first is number at. It
// returns the activations of the last.
func (s *stack) apply(rows int, x []float32, at int, see func(int, []float32)) ([]float32, error) {
	for i, layer := range s.layers {
		s.x[i] = room(s.x[i], rows*s.widths[i])
		if err := layer.Apply(rows, x, s.x[i]); err != nil {
			return nil, fmt.Errorf("learner: %w", err)
		}
		x = s.x[i]
		see(at+i, x)
	}
	return x, nil
}

// rnnTracer is an rnn with all of its layers in sight.
type rnnTracer struct {
	r    *rnn
	mlp  stack
	cell *nn.Cell
	x    []float32
}

func (r *rnn) tracer(net *nn.Network) tracer {
	return &rnnTracer{r: r, mlp: newStack(net, r.mlp, len(r.mlp.Widths)-1), cell: nn.NewCell(net, r.gru)}
}

func (a *rnnTracer) trace(spec core.EnvSpec, last []int32, obs, hidden []float32, see func(int, []float32)) error {
	rows, in, o := len(last), a.r.width(), spec.ObsWidth
	a.x = room(a.x, rows*in)
	for r := range rows {
		a.r.input(a.x[r*in:(r+1)*in], obs[r*o:(r+1)*o], last[r], a.r.agentOf(r))
	}
	y, err := a.mlp.apply(rows, a.x, 0, see)
	if err == nil {
		err = a.cell.Step(rows, y, hidden)
	}
	if err != nil {
		return fmt.Errorf("learner: %w", err)
	}
	see(len(a.mlp.layers), hidden)
	return nil
}

// attentiveTracer is an attentive network with all of its layers in sight.
type attentiveTracer struct {
	*attentiveActor
	mlp, enemy, move, attack stack
	cell                     *nn.Cell
	joined                   []float32 // [rows, m, E+H]
}

func (a *attentive) tracer(net *nn.Network) tracer {
	all := func(m nn.MLP) stack { return newStack(net, m, len(m.Widths)-1) }
	hidden := func(m nn.MLP) stack { return newStack(net, m, len(m.Widths)-2) }
	return &attentiveTracer{
		attentiveActor: &attentiveActor{a: a, look: nn.NewLook(net, a.attention)},
		mlp:            all(a.mlp), enemy: all(a.enemy), move: hidden(a.move), attack: hidden(a.attack), cell: nn.NewCell(net, a.gru),
	}
}

func (x *attentiveTracer) trace(spec core.EnvSpec, last []int32, obs, hidden []float32, see func(int, []float32)) error {
	rows, m, E, H := len(last), x.cut(spec, last, obs), x.a.enemy.Out(), x.a.hidden()
	if err := x.look.Apply(rows, x.own, x.sets[:], x.f); err != nil {
		return fmt.Errorf("learner: %w", err)
	}
	at := 0
	see(at, x.f)
	at++
	y, err := x.mlp.apply(rows, x.f, at, see)
	if err == nil {
		err = x.cell.Step(rows, y, hidden)
	}
	if err != nil {
		return fmt.Errorf("learner: %w", err)
	}
	at += len(x.mlp.layers)
	see(at, hidden)
	at++
	e, err := x.enemy.apply(rows*m, x.enemies, at, see)
	if err != nil {
		return err
	}
	at += len(x.enemy.layers)
	if _, err := x.move.apply(rows, hidden, at, see); err != nil {
		return err
	}
	x.joined = x.joined[:0]
	for i := range rows * m {
		r := i / m
		x.joined = append(append(x.joined, e[i*E:(i+1)*E]...), hidden[r*H:(r+1)*H]...)
	}
	_, err = x.attack.apply(rows*m, x.joined, at+len(x.move.layers), see)
	return err
}
