package qlearn

import (
	"macpro/core"
	"macpro/core/nn"
)

// ownRows are the rows of one agent in a time step of several lanes.
type ownRows struct {
	obs, hidden []float32
	last        []int32
}

// take copies the rows of agent i of n.
func (g *ownRows) take(i, n, o, h int, last []int32, obs, hidden []float32) {
	g.obs, g.hidden, g.last = g.obs[:0], g.hidden[:0], g.last[:0]
	for r := i; r < len(last); r += n {
		g.obs = append(g.obs, obs[r*o:(r+1)*o]...)
		g.hidden = append(g.hidden, hidden[r*h:(r+1)*h]...)
		g.last = append(g.last, last[r])
	}
}

// give writes the recurrent states back.
func (g *ownRows) give(i, n, h int, hidden []float32) {
	for k := range g.last {
		copy(hidden[(k*n+i)*h:], g.hidden[k*h:(k+1)*h])
	}
}

// separateActor is the features of all agents, on packed weights.
type separateActor struct {
	of   []actor
	own  ownRows
	wide int // of the recurrent state
}

func (s *separate) actor(net *nn.Network) (actor, error) {
	x := &separateActor{wide: s.hidden()}
	for _, r := range s.nets {
		a, err := r.actor(net)
		if err != nil {
			return nil, err
		}
		x.of = append(x.of, a)
	}
	return x, nil
}

func (x *separateActor) advance(spec core.EnvSpec, last []int32, obs, hidden []float32) (features, error) {
	n := len(x.of)
	for i, a := range x.of {
		x.own.take(i, n, spec.ObsWidth, x.wide, last, obs, hidden)
		if _, err := a.advance(spec, x.own.last, x.own.obs, x.own.hidden); err != nil {
			return features{}, err
		}
		x.own.give(i, n, x.wide, hidden)
	}
	return features{hidden: hidden[:len(last)*x.wide], width: x.wide, agents: n}, nil
}

// separateHead is the head of all agents.
type separateHead struct {
	of   []*nn.Dense
	size int     // parameters of one agent's
	rows []int32 // of one agent
}

func (s *separate) psi(net *nn.Network) (psi, error) {
	h := &separateHead{size: s.nets[0].layer.Len}
	for _, r := range s.nets {
		h.of = append(h.of, nn.NewDense(net, r.layer))
	}
	return h, nil
}

func (h *separateHead) load(params []float32) error {
	for i, d := range h.of {
		lo := min(i*h.size, len(params))
		if err := d.Load(params[lo:min(lo+h.size, len(params))]); err != nil {
			return err
		}
	}
	return nil
}

func (h *separateHead) values(f features, q []float32) error {
	n, rows := len(h.of), len(f.hidden)/f.width
	for i, d := range h.of {
		h.rows = h.rows[:0]
		for r := (i - f.first + n) % n; r < rows; r += n {
			h.rows = append(h.rows, int32(r))
		}
		if len(h.rows) == 0 {
			continue
		}
		if err := d.ApplyRows(h.rows, f.hidden, q); err != nil {
			return err
		}
	}
	return nil
}

// separateTracer is the networks of all agents with all of their layers in sight.
type separateTracer struct {
	of     []tracer
	own    ownRows
	wide   int
	layers int // of one agent
}

func (s *separate) tracer(net *nn.Network) tracer {
	x := &separateTracer{wide: s.hidden(), layers: len(s.nets[0].layers())}
	for _, r := range s.nets {
		x.of = append(x.of, r.tracer(net))
	}
	return x
}

func (x *separateTracer) trace(spec core.EnvSpec, last []int32, obs, hidden []float32, see func(int, []float32)) error {
	n := len(x.of)
	for i, a := range x.of {
		x.own.take(i, n, spec.ObsWidth, x.wide, last, obs, hidden)
		err := a.trace(spec, x.own.last, x.own.obs, x.own.hidden, func(layer int, y []float32) { see(i*x.layers+layer, y) })
		if err != nil {
			return err
		}
		x.own.give(i, n, x.wide, hidden)
	}
	return nil
}
