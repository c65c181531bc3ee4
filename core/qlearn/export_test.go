package qlearn

import (
	"fmt"

	"macpro/core"
	"macpro/core/nn"
)

// Transition is what the last gradient step computed for one transition.
type Transition struct {
	Episode                int64 // Index
	T                      int
	Chosen, Next           []float32 // q of the taken actions, q' of the greedy ones
	QTot, NextQTot, Target float32
	Values, ValuesOfTarget []float32 // [n, A] at record T
}

// LastStep returns the transitions of the last call of Train.
func (l *Learner) LastStep() []Transition {
	ps := l.plans[planKey{shapesOf(l.spec), l.spec.Limit}]
	var all []Transition
	for i := range l.batch.Shard {
		s, p := &l.batch.Shard[i], ps[i]
		n, nA := l.spec.Agents, l.spec.Agents*l.spec.Actions
		for b, e := range s.Episodes {
			for t := range e.T {
				k, r := s.Transition(t, b), s.Record(t, b)
				all = append(all, Transition{
					Episode: e.Index, T: t,
					Chosen: p.chosen.Data()[k*n : (k+1)*n], Next: p.next.Data()[k*n : (k+1)*n],
					QTot: p.qTot.Data()[k], NextQTot: p.qTotTarget.Data()[k], Target: p.loss.y[k],
					Values: p.q.Data()[r*nA : (r+1)*nA], ValuesOfTarget: p.qTarget.Data()[r*nA : (r+1)*nA],
				})
			}
		}
	}
	return all
}

// Gradients returns the gradient of the last call of Train, by tensor, after
// the penalties and the clip.
func (l *Learner) Gradients() []core.Weight { return l.named(l.net.Grads) }

// TargetWeights returns the target network, by tensor.
func (l *Learner) TargetWeights() []core.Weight { return l.named(l.target.Params) }

func (l *Learner) named(flat []float32) []core.Weight {
	var ws []core.Weight
	for _, t := range l.net.Tensors() {
		ws = append(ws, core.Weight{Name: t.Name, Shape: t.Shape, Data: t.Range.Of(flat)})
	}
	return ws
}

// Targets forms the targets of one episode from the target network's Q_tot at
// the records 1..T.
func Targets(reward, next []float32, terminated, onTimeout bool, r Returns) []float32 {
	v := &view{steps: &nn.Extent{N: len(reward)}, reward: reward}
	for t := range reward {
		v.next = append(v.next, int32(t+1))
	}
	last := len(reward) - 1
	v.next[last] = bootstrap
	if terminated || !onTimeout {
		v.next[last] = terminal
	}
	y := make([]float32, len(reward))
	v.targets(y, next, r)
	return y
}

// MustFind returns a named weight.
func MustFind(ws []core.Weight, name string) core.Weight {
	for _, w := range ws {
		if w.Name == name {
			return w
		}
	}
	panic(fmt.Sprintf("no weight %q", name))
}

// Greedy is the choice of a greedy action.
var Greedy = greedy

// SetLR changes the step size.
func (l *Learner) SetLR(lr float64) { l.cfg.LR = lr }

// SquaredGradients is RMSProp's state, by tensor.
func (l *Learner) SquaredGradients() []core.Weight { return l.named(l.optim.State()[0].Data) }
