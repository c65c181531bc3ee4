package qlearn

import (
	"fmt"

	"macpro/core"
	"macpro/core/entity"
	"macpro/core/nn"
)

// Team says which entities of the central state a mixer reads, one set for each
// side, and how wide their rows are. Allies are [state; compact last action],
// enemies [state]. With Acting, which needs the joint action, an ally's compact
// action follows and an enemy's share of the team that attacks it.
type Team struct {
	Spec   core.EnvSpec
	Acting bool
}

// Kinds describes the rows of allies and enemies for a module on them.
func (t Team) Kinds() []nn.Set {
	e := t.Spec.Entities
	allies, enemies := e.AllyState+e.NonAttack+1, e.EnemyState
	if t.Acting {
		allies, enemies = allies+e.NonAttack+1, enemies+1
	}
	return []nn.Set{{Name: "ally", Width: allies}, {Name: "enemy", Width: enemies}}
}

// Team gives the allies [n*width] and the enemies [m*width] of the state.
func (m *Mixing) Team(acting bool) (allies, enemies *nn.Value) {
	t := Team{Spec: m.Spec, Acting: acting}
	in := []*nn.Value{m.State()}
	if acting {
		in = append(in, m.Joint())
	}
	return m.Apply(&alliesOp{t}, in...), m.Apply(&enemiesOp{t}, in...)
}

// checkTeam makes sure that the inputs are a state and perhaps a joint action.
func (t Team) checkTeam(ext []*nn.Extent, width []int) error {
	want := []int{t.Spec.StateWidth}
	if t.Acting {
		want = append(want, t.Spec.Agents*t.Spec.Actions)
	}
	if len(width) != len(want) {
		return fmt.Errorf("%d inputs, want %d", len(width), len(want))
	}
	for i, w := range want {
		if width[i] != w || ext[i] != ext[0] {
			return fmt.Errorf("want inputs of widths %v with equal rows, got %v", want, width)
		}
	}
	return nil
}

// alliesOp cuts the allies out of a state. Nothing in it learns.
type alliesOp struct{ Team }

func (o *alliesOp) Name() string       { return "allies" }
func (o *alliesOp) NeedsGrad(int) bool { return false }

func (o *alliesOp) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if err := o.checkTeam(ext, width); err != nil {
		return nil, 0, err
	}
	return ext[0], o.Spec.Agents * o.Kinds()[0].Width, nil
}

func (o *alliesOp) Forward(in []nn.Mat, out nn.Mat) error {
	n, A, e, w := o.Spec.Agents, o.Spec.Actions, o.Spec.Entities, o.Kinds()[0].Width
	for k := range out.Rows {
		state := in[0].Row(k)
		last := state[n*e.AllyState+e.Enemies*e.EnemyState:]
		for i := range n {
			dst := out.Row(k)[i*w : (i+1)*w]
			dst = dst[copy(dst, state[i*e.AllyState:(i+1)*e.AllyState]):]
			entity.Squeeze(dst, last[i*A:(i+1)*A], e.NonAttack)
			if o.Acting {
				entity.Squeeze(dst[e.NonAttack+1:], in[1].Row(k)[i*A:(i+1)*A], e.NonAttack)
			}
		}
	}
	return nil
}

func (o *alliesOp) Backward([]nn.Mat, nn.Mat, nn.Mat, []nn.Mat) error { return nil }

// enemiesOp cuts the enemies out of a state. Nothing in it learns.
type enemiesOp struct{ Team }

func (o *enemiesOp) Name() string       { return "enemies" }
func (o *enemiesOp) NeedsGrad(int) bool { return false }

func (o *enemiesOp) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if err := o.checkTeam(ext, width); err != nil {
		return nil, 0, err
	}
	return ext[0], o.Spec.Entities.Enemies * o.Kinds()[1].Width, nil
}

func (o *enemiesOp) Forward(in []nn.Mat, out nn.Mat) error {
	n, A, e, w := o.Spec.Agents, o.Spec.Actions, o.Spec.Entities, o.Kinds()[1].Width
	for k := range out.Rows {
		state := in[0].Row(k)[n*e.AllyState:]
		for j := range e.Enemies {
			dst := out.Row(k)[j*w : (j+1)*w]
			copy(dst, state[j*e.EnemyState:(j+1)*e.EnemyState])
			if !o.Acting {
				continue
			}
			attackers := float32(0)
			for i := range n {
				attackers += in[1].Row(k)[i*A+e.NonAttack+j]
			}
			dst[e.EnemyState] = attackers / float32(n)
		}
	}
	return nil
}

func (o *enemiesOp) Backward([]nn.Mat, nn.Mat, nn.Mat, []nn.Mat) error { return nil }
