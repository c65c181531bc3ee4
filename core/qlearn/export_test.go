package qlearn

import (
	"fmt"
	"slices"

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
	Avail                  []uint8   // [n, A] at record T
}

// Record is what the last gradient step computed for an episode's last record.
type Record struct {
	Episode                int64 // Index
	T                      int
	Values, ValuesOfTarget []float32 // [n, A]
	Avail                  []uint8   // [n, A]
}

// LastRecords returns the last records of the episodes of the last call of Train,
// as LastStep.
func (l *Learner) LastRecords() (all []Record) {
	ps := l.plans[keyOf(&l.spec)]
	for i := range l.parts[0].batch.Shard {
		s, p, nA := &l.parts[0].batch.Shard[i], ps[i], l.spec.Agents*l.spec.Actions
		for b, e := range s.Episodes {
			r := s.Record(e.T, b)
			all = append(all, Record{e.Index, e.T, slices.Clone(p.q.Data()[r*nA : (r+1)*nA]), slices.Clone(p.qTarget.Data()[r*nA : (r+1)*nA]), e.Avail[e.T*nA:]})
		}
	}
	return all
}

// LastStep returns the transitions of the last call of Train, of a learner on
// two threads: on one, the shards share a graph, which holds the last one only.
func (l *Learner) LastStep() []Transition {
	if l.threads == 1 {
		panic("the values of the first shard are gone")
	}
	ps := l.plans[keyOf(&l.spec)]
	var all []Transition
	for i := range l.parts[0].batch.Shard {
		s, p := &l.parts[0].batch.Shard[i], ps[i]
		n, nA := l.spec.Agents, l.spec.Agents*l.spec.Actions
		for b, e := range s.Episodes {
			for t := range e.T {
				k, r := s.Transition(t, b), s.Record(t, b)
				all = append(all, Transition{
					Episode: e.Index, T: t,
					Chosen: slices.Clone(p.chosen.Data()[k*n : (k+1)*n]), Next: slices.Clone(p.next.Data()[k*n : (k+1)*n]),
					QTot: p.qTot.Data()[k], NextQTot: p.qTotTarget.Data()[k], Target: p.loss.y[k],
					Values: slices.Clone(p.q.Data()[r*nA : (r+1)*nA]), ValuesOfTarget: slices.Clone(p.qTarget.Data()[r*nA : (r+1)*nA]),
					Avail: e.Avail[t*nA : (t+1)*nA],
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

// SavedMixer returns a copy of the mixer that was saved with head k.
func (l *Learner) SavedMixer(k int) []float32 { return slices.Clone(l.saved[k].mixer) }

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
	v.targets(y, next, 1, r)
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

// AgentBench runs the agent network of a task by itself, with the loss
// sum(weights * Q), on some steps of several episodes of one length.
type AgentBench struct {
	Net *nn.Network

	graph   *nn.Graph
	view    *view
	in      inputs
	q       *nn.Value
	weights *nn.Value
}

// NewAgentBench compiles the network with parameters of zero.
func NewAgentBench(c Config, spec core.EnvSpec, episodes int) (*AgentBench, error) {
	var l nn.Layout
	a, err := planAgent(&l, c, spec)
	if err != nil {
		return nil, err
	}
	net, err := nn.NewNetwork(&l)
	if err != nil {
		return nil, err
	}
	b := &AgentBench{Net: net, graph: nn.NewGraph()}
	b.view = newView(b.graph, episodes, spec)
	b.in = a.inputs(b.graph, b.view, spec)
	q, err := b.in.q(net)
	if err != nil {
		return nil, err
	}
	b.q = q[0]
	b.weights = b.graph.Input("weights", b.view.agents, spec.Actions)
	loss, err := b.graph.Apply(weighed{}, b.q, b.weights)
	if err != nil {
		return nil, err
	}
	return b, b.graph.Compile(loss)
}

// Run computes Q and the gradients from rows in the order (step, episode,
// agent).
func (b *AgentBench) Run(steps, episodes int, obs []float32, last []int32, weights []float32) ([]float32, error) {
	alive := make([]int, steps)
	for t := range alive {
		alive[t] = episodes
	}
	if err := b.view.time.Set(b.view.n, alive); err != nil {
		return nil, err
	}
	b.view.agents.N = len(last)
	width, all := len(obs)/len(last), slices.Repeat([]uint8{1}, b.view.A)
	for r, a := range last {
		b.in.set(r, obs[r*width:(r+1)*width], all, a, r%b.view.n)
	}
	copy(b.weights.Data(), weights)
	b.Net.Touch()
	err := b.graph.Run()
	return b.q.Data(), err
}

// weighed is the scalar sum of the products of its inputs.
type weighed struct{}

func (weighed) Name() string         { return "weighed sum" }
func (weighed) NeedsGrad(i int) bool { return i == 0 }

func (weighed) Out([]*nn.Extent, []int) (*nn.Extent, int, error) { return nil, 1, nil }

func (weighed) Forward(in []nn.Mat, out nn.Mat) error {
	out.Data[0] = float32(nn.Dot(in[0].Data, in[1].Data))
	return nil
}

func (weighed) Backward(in []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	copy(dIn[0].Data, in[1].Data)
	nn.Scale(dIn[0].Data, dOut.Data[0])
	return nil
}

// Remember bounds the floats of target values that are remembered, and returns
// how many episodes were found so far.
func (l *Learner) Remember(room int) (found int) {
	l.memory.room = room
	return l.memory.hits
}
