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
	kinds := t.Kinds()
	return m.Apply(&sideOp{t, "allies", m.Spec.Agents * kinds[0].Width, t.allies}, in...),
		m.Apply(&sideOp{t, "enemies", m.Spec.Entities.Enemies * kinds[1].Width, t.enemies}, in...)
}

// sideOp cuts the entities of one side out of a state. Nothing in it learns.
type sideOp struct {
	Team
	name  string
	width int // of all entities
	cut   func(in []nn.Mat, out nn.Mat)
}

func (o *sideOp) Name() string       { return o.name }
func (o *sideOp) NeedsGrad(int) bool { return false }

// Out makes sure that the inputs are a state and perhaps a joint action.
func (o *sideOp) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	want := []int{o.Spec.StateWidth}
	if o.Acting {
		want = append(want, o.Spec.Agents*o.Spec.Actions)
	}
	if len(width) != len(want) {
		return nil, 0, fmt.Errorf("%d inputs, want %d", len(width), len(want))
	}
	for i, w := range want {
		if width[i] != w || ext[i] != ext[0] {
			return nil, 0, fmt.Errorf("want inputs of widths %v with equal rows, got %v", want, width)
		}
	}
	return ext[0], o.width, nil
}

func (o *sideOp) Forward(in []nn.Mat, out nn.Mat) error {
	o.cut(in, out)
	return nil
}

func (o *sideOp) Backward([]nn.Mat, nn.Mat, nn.Mat, []nn.Mat) error { return nil }

func (t Team) allies(in []nn.Mat, out nn.Mat) {
	n, A, e, w := t.Spec.Agents, t.Spec.Actions, t.Spec.Entities, t.Kinds()[0].Width
	for k := range out.Rows {
		state := in[0].Row(k)
		last := state[n*e.AllyState+e.Enemies*e.EnemyState:]
		for i := range n {
			dst := out.Row(k)[i*w : (i+1)*w]
			dst = dst[copy(dst, state[i*e.AllyState:(i+1)*e.AllyState]):]
			entity.Squeeze(dst, last[i*A:(i+1)*A], e.NonAttack)
			if t.Acting {
				entity.Squeeze(dst[e.NonAttack+1:], in[1].Row(k)[i*A:(i+1)*A], e.NonAttack)
			}
		}
	}
}

func (t Team) enemies(in []nn.Mat, out nn.Mat) {
	n, A, e, w := t.Spec.Agents, t.Spec.Actions, t.Spec.Entities, t.Kinds()[1].Width
	for k := range out.Rows {
		state := in[0].Row(k)[n*e.AllyState:]
		for j := range e.Enemies {
			dst := out.Row(k)[j*w : (j+1)*w]
			copy(dst, state[j*e.EnemyState:(j+1)*e.EnemyState])
			if !t.Acting {
				continue
			}
			attackers := float32(0)
			for i := range n {
				attackers += in[1].Row(k)[i*A+e.NonAttack+j]
			}
			dst[e.EnemyState] = attackers / float32(n)
		}
	}
}
