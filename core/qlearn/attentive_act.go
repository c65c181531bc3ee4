package qlearn

import (
	"fmt"

	"macpro/core"
	"macpro/core/nn"
)

// attentiveActor is the features of an attentive network, on packed weights.
type attentiveActor struct {
	a     *attentive
	look  *nn.Look
	phi   *nn.Recurrent
	enemy *nn.Dense

	own, allies, enemies []float32 // [rows, ...] as entity.Cut makes them
	sets                 [2][]float32
	f, embedded          []float32 // [rows, width of f], [rows, m, embed]
}

func (a *attentive) actor(net *nn.Network) (actor, error) {
	phi, err := nn.NewRecurrent(net, a.mlp, a.gru)
	if err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	return &attentiveActor{a: a, look: nn.NewLook(net, a.attention), phi: phi, enemy: nn.NewDense(net, a.enemy)}, nil
}

// cut cuts the observations of rows into what attention reads and makes room for
// what it gives. It returns the number of enemies.
func (x *attentiveActor) cut(spec core.EnvSpec, last []int32, obs []float32) int {
	rows, o, cut := len(last), spec.ObsWidth, x.a.cut(spec)
	own, allies, enemies := cut.Widths()
	x.own, x.allies, x.enemies = room(x.own, rows*own), room(x.allies, rows*allies), room(x.enemies, rows*enemies)
	for r := range rows {
		cut.Set(x.own[r*own:(r+1)*own], x.allies[r*allies:(r+1)*allies], x.enemies[r*enemies:(r+1)*enemies],
			obs[r*o:(r+1)*o], last[r], r%spec.Agents)
	}
	x.f = room(x.f, rows*x.a.attention.Width())
	x.sets = [2][]float32{x.allies, x.enemies}
	return cut.Enemies
}

func (x *attentiveActor) advance(spec core.EnvSpec, last []int32, obs, hidden []float32) (features, error) {
	rows, m := len(last), x.cut(spec, last, obs)
	x.embedded = room(x.embedded, rows*m*x.a.enemy.Out())
	err := x.look.Apply(rows, x.own, x.sets[:], x.f)
	if err == nil {
		err = x.phi.Step(rows, x.f, hidden)
	}
	if err == nil {
		err = x.enemy.Apply(rows*m, x.enemies, x.embedded)
	}
	if err != nil {
		return features{}, fmt.Errorf("learner: %w", err)
	}
	return features{hidden: hidden[:rows*x.a.hidden()], width: x.a.hidden(), enemies: x.embedded, m: m}, nil
}

type attentiveHead struct {
	move      *nn.Dense
	attack    *nn.Answer
	moves     nn.Segment
	a, b      []float32 // [rows, actions at no enemy], [rows, m]
	nonAttack int
}

func (a *attentive) psi(net *nn.Network) (psi, error) {
	attack, err := nn.NewAnswer(net, a.pairs())
	if err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	return &attentiveHead{move: nn.NewDense(net, a.move), attack: attack, moves: a.move.Segment, nonAttack: a.move.Out()}, nil
}

func (h *attentiveHead) load(params []float32) error {
	if len(params) < h.moves.Len {
		return fmt.Errorf("head of %d parameters, its first part has %d", len(params), h.moves.Len)
	}
	if err := h.move.Load(params[:h.moves.Len]); err != nil {
		return err
	}
	return h.attack.Load(params[h.moves.Len:])
}

func (h *attentiveHead) values(f features, q []float32) error {
	rows := len(f.hidden) / f.width
	h.a, h.b = room(h.a, rows*h.nonAttack), room(h.b, rows*f.m)
	if err := h.move.Apply(rows, f.hidden, h.a); err != nil {
		return err
	}
	if err := h.attack.Apply(rows, f.m, f.enemies, f.hidden, h.b); err != nil {
		return err
	}
	width := h.nonAttack + f.m
	for r := range rows {
		row := q[r*width : (r+1)*width]
		copy(row[copy(row, h.a[r*h.nonAttack:(r+1)*h.nonAttack]):], h.b[r*f.m:])
	}
	return nil
}
