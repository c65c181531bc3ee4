package qlearntest

import (
	"fmt"

	"macpro/core"
	"macpro/core/nn"
	"macpro/core/qlearn"
)

// Bench runs a mixer by itself on a fixed number of rows. Set Q, Top, Joint and
// State, call Run, and read QTot and the gradients of sum(Weight*Q_tot).
type Bench struct {
	Spec core.EnvSpec
	Net  *nn.Network // the mixer's parameters and their gradients

	Q      []float32 // [rows, n]
	QGrad  []float32 // [rows, n], gradient of Q
	Top    []float32 // [rows, n]
	Joint  []float32 // [rows, n*A]
	State  []float32 // [rows, S]
	Weight []float32 // [rows]
	QTot   []float32 // [rows]

	graph *nn.Graph
	out   *nn.Value
}

// NewBench plans and compiles a mixer. Parameters start as zeros.
func NewBench(plan qlearn.NewMixer, spec core.EnvSpec, rows int) (*Bench, error) {
	var own, values nn.Layout
	mixer, err := plan(&own, spec)
	if err != nil {
		return nil, err
	}
	segment := values.Segment("q", nn.TensorSpec{Name: "q", Shape: []int{rows, spec.Agents}})
	net, err := nn.NewNetwork(&own)
	if err != nil {
		return nil, err
	}
	qs, err := nn.NewNetwork(&values)
	if err != nil {
		return nil, err
	}
	g := nn.NewGraph()
	ext := g.Extent(rows)
	top := g.Input("top", ext, spec.Agents)
	joint := g.Input("joint", ext, spec.Agents*spec.Actions)
	state := g.Input("state", ext, spec.StateWidth)
	weight := g.Input("weight", ext, 1)
	q, err := g.Apply(&asRows{ext, spec.Agents}, g.Param(qs, segment))
	if err != nil {
		return nil, err
	}
	out, err := mixer.QTot(qlearn.NewMixing(g, net, spec, q, top, joint, state))
	if err != nil {
		return nil, err
	}
	loss, err := g.Apply(weightedSum{}, out, weight)
	if err != nil {
		return nil, err
	}
	return &Bench{
		Spec: spec, Net: net, Q: qs.Params, QGrad: qs.Grads,
		Top: top.Data(), Joint: joint.Data(), State: state.Data(), Weight: weight.Data(),
		graph: g, out: out,
	}, g.Compile(loss)
}

// Run computes QTot and all gradients.
func (b *Bench) Run() error {
	b.Net.Touch()
	if err := b.graph.Run(); err != nil {
		return err
	}
	b.QTot = b.out.Data()
	return nil
}

// asRows turns a parameter into rows, so that a gradient flows into them.
type asRows struct {
	ext   *nn.Extent
	width int
}

func (o *asRows) Name() string       { return "parameter as rows" }
func (o *asRows) NeedsGrad(int) bool { return true }

func (o *asRows) Out(_ []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if width[0] != o.ext.Cap*o.width {
		return nil, 0, fmt.Errorf("%d floats for %d rows of %d", width[0], o.ext.Cap, o.width)
	}
	return o.ext, o.width, nil
}

func (o *asRows) Forward(in []nn.Mat, out nn.Mat) error {
	copy(out.Data, in[0].Data)
	return nil
}

func (o *asRows) Backward(_ []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	copy(dIn[0].Data, dOut.Data)
	return nil
}

// weightedSum is the loss sum_k weight_k * x_k.
type weightedSum struct{}

func (weightedSum) Name() string         { return "weighted sum" }
func (weightedSum) NeedsGrad(i int) bool { return i == 0 }

func (weightedSum) Out([]*nn.Extent, []int) (*nn.Extent, int, error) { return nil, 1, nil }

func (weightedSum) Forward(in []nn.Mat, out nn.Mat) error {
	out.Data[0] = float32(nn.Dot(in[0].Data, in[1].Data))
	return nil
}

func (weightedSum) Backward(in []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	copy(dIn[0].Data, in[1].Data)
	nn.Scale(dIn[0].Data, dOut.Data[0])
	return nil
}
