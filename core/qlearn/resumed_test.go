package qlearn

import (
	"math"
	"slices"

	"macpro/core"
	"macpro/core/nn"
)

// ResumedBench computes the gradients of one step of the attentive network that
// starts from given hidden states, with the loss sum(weights * Q). Training
// starts from zeros, so a step goes before it whose hidden states are those: its
// own inputs are zero, and inputs that a wider GRU has beside them lead it there.
// The parameters and gradients of Net are those of the network itself.
type ResumedBench struct {
	Net *nn.Network

	a               *attentive
	wide            nn.GRU
	graph           *nn.Graph
	view            *view
	in              inputs
	lead, q, weight *nn.Value
}

// shut closes a gate.
const shut = -30

// NewResumedBench compiles the network with parameters of zero.
func NewResumedBench(c Config, spec core.EnvSpec, episodes int) (*ResumedBench, error) {
	var l nn.Layout
	a, err := planAttentive(&l, c, spec)
	if err != nil {
		return nil, err
	}
	b := &ResumedBench{a: a, graph: nn.NewGraph()}
	b.wide = l.GRU("wide", a.gru.In+a.gru.Hidden+1, a.gru.Hidden)
	if b.Net, err = nn.NewNetwork(&l); err != nil {
		return nil, err
	}
	spec.Limit = 1
	b.view = newView(b.graph, episodes, spec)
	in := a.inputs(b.graph, b.view, spec).(*attentiveInputs)
	b.in, b.lead = in, b.graph.Input("lead", b.view.agents, a.gru.Hidden+1)
	b.weight = b.graph.Input("weights", b.view.agents, spec.Actions)

	g := &builder{what: "agents", graph: b.graph, net: b.Net}
	f := g.Apply(a.attention.Op(), in.own, in.allies, in.enemies, g.Param(a.attention.Segment))
	h := g.Apply(b.wide.Op(&b.view.time), g.Apply(led{}, g.Net(a.mlp, f), b.lead), g.Param(b.wide.Segment))
	b.q = g.Apply(nn.Beside(), g.Net(a.move, h), g.Pairs(a.pairs(), in.enemies, h))
	loss, err := g.Result(g.Apply(weighed{}, b.q, b.weight))
	if err != nil {
		return nil, err
	}
	return b, b.graph.Compile(loss)
}

// Run computes Q and the gradients from rows in the order (episode, agent).
func (b *ResumedBench) Run(obs []float32, last []int32, hidden, weights []float32) ([]float32, error) {
	n, rows, h := b.view.n, len(last), b.a.gru.Hidden
	if err := b.view.time.Set(n, []int{rows / n, rows / n}); err != nil {
		return nil, err
	}
	b.widen()
	bias := gates(b.a.gru, b.Net.Params)[2]
	width, all := len(obs)/rows, slices.Repeat([]uint8{1}, b.view.A)
	for r, a := range last {
		b.in.set(r, make([]float32, width), all, -1, r%n)
		b.in.set(rows+r, obs[r*width:(r+1)*width], all, a, r%n)
		lead := b.lead.Data()[r*(h+1) : (r+1)*(h+1)]
		for d, x := range hidden[r*h : (r+1)*h] {
			reach := max(-20, min(20, math.Atanh(float64(x)))) // there tanh is -1 or 1
			lead[d] = float32(reach) - bias[2*h+d]
		}
		lead[h] = 1
	}
	copy(b.weight.Data()[len(weights):], weights)
	b.Net.Touch()
	if err := b.graph.Run(); err != nil {
		return nil, err
	}
	b.narrow()
	return b.q.Data()[len(weights):], nil
}

// gates are weight_ih, weight_hh, bias_ih and bias_hh of a GRU.
func gates(m nn.GRU, flat []float32) (t [4][]float32) {
	seg := m.Range().Of(flat)
	for i := range t {
		t[i] = m.Tensors[i].Of(seg)
	}
	return t
}

// widen sets the wider GRU: its first inputs are those of the network's, each of
// the others adds to one new state, the last one shuts both gates.
func (b *ResumedBench) widen() {
	m, w := gates(b.a.gru, b.Net.Params), gates(b.wide, b.Net.Params)
	in, h := b.a.gru.In, b.a.gru.Hidden
	for r := range 3 * h {
		row := w[0][r*b.wide.In : (r+1)*b.wide.In]
		clear(row[copy(row, m[0][r*in:(r+1)*in]):])
		if r < 2*h {
			row[in+h] = shut
		} else {
			row[in+r-2*h] = 1
		}
	}
	for i := 1; i < 4; i++ {
		copy(w[i], m[i])
	}
}

// narrow takes the network's gradients from the wider GRU's. The step that leads
// there adds to one only, bias_ih, as much as is the gradient of the input that
// is 1 then and 0 afterwards.
func (b *ResumedBench) narrow() {
	m, w := gates(b.a.gru, b.Net.Grads), gates(b.wide, b.Net.Grads)
	in, h := b.a.gru.In, b.a.gru.Hidden
	for i := 1; i < 4; i++ {
		copy(m[i], w[i])
	}
	for r := range 3 * h {
		row := w[0][r*b.wide.In : (r+1)*b.wide.In]
		copy(m[0][r*in:(r+1)*in], row)
		m[2][r] -= row[in+h]
	}
}

// led puts rows [N, W] and inputs [N, L] that lead them beside each other. A row
// is zero where the last of these is one.
type led struct{}

func (led) Name() string         { return "led rows" }
func (led) NeedsGrad(i int) bool { return i == 0 }

func (led) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	return ext[0], width[0] + width[1], nil
}

func (led) Forward(in []nn.Mat, out nn.Mat) error {
	for r := range out.Rows {
		dst, lead := out.Row(r), in[1].Row(r)
		copy(dst, in[0].Row(r))
		copy(dst[in[0].Cols:], lead)
		if lead[len(lead)-1] == 1 {
			clear(dst[:in[0].Cols])
		}
	}
	return nil
}

func (led) Backward(in []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	for r := range dOut.Rows {
		copy(dIn[0].Row(r), dOut.Row(r))
		if lead := in[1].Row(r); lead[len(lead)-1] == 1 {
			clear(dIn[0].Row(r))
		}
	}
	return nil
}
