package qlearn

import (
	"fmt"

	"macpro/core"
	"macpro/core/nn"
)

// rnnActor is the features of an rnn, on packed weights.
type rnnActor struct {
	r   *rnn
	phi *nn.Recurrent
	x   []float32 // [rows, width]
}

func (r *rnn) actor(net *nn.Network) (actor, error) {
	f, err := nn.NewRecurrent(net, r.mlp, r.gru)
	if err != nil {
		return nil, fmt.Errorf("learner: %w", err)
	}
	return &rnnActor{r: r, phi: f}, nil
}

func (a *rnnActor) advance(spec core.EnvSpec, last []int32, obs, hidden []float32) (features, error) {
	rows, in, o := len(last), a.r.width(), spec.ObsWidth
	a.x = room(a.x, rows*in)
	for r := range rows {
		a.r.input(a.x[r*in:(r+1)*in], obs[r*o:(r+1)*o], last[r], a.r.agentOf(r))
	}
	if err := a.phi.Step(rows, a.x, hidden); err != nil {
		return features{}, fmt.Errorf("learner: %w", err)
	}
	return features{hidden: hidden[:rows*a.r.hidden()], width: a.r.hidden()}, nil
}

// room returns a slice of n floats with undefined contents, reusing s.
func room(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}

// rnnHead is the head of an rnn: a layer on the recurrent state.
type rnnHead struct{ *nn.Dense }

func (r *rnn) psi(net *nn.Network) (psi, error) { return rnnHead{nn.NewDense(net, r.layer)}, nil }

func (h rnnHead) load(params []float32) error { return h.Load(params) }

func (h rnnHead) values(f features, q []float32) error {
	return h.Apply(len(f.hidden)/f.width, f.hidden, q)
}
