package nn

import (
	"fmt"

	"macpro/core/nn/internal/kernel"
)

// attentionOp is an Attention in a graph: inputs own features [N,Own], the items
// of each set [N,n*Width] and the segment, output [N,Width()]. Own features and
// items are data, no gradient flows into them.
type attentionOp struct {
	attending
	counts []int // items in a row of each set
	dq     []float32
	dp, da []float32
	dmean  []float32
}

// Op makes a new operation of the module.
func (m Attention) Op() Fused {
	return &attentionOp{attending: newAttending(m), counts: make([]int, len(m.Sets))}
}

func (o *attentionOp) Name() string            { return "attention " + o.m.Name }
func (o *attentionOp) NeedsGrad(i int) bool    { return i == o.segment() }
func (o *attentionOp) segment() int            { return 1 + len(o.m.Sets) }
func (o *attentionOp) data(in []Mat) []float32 { return in[o.segment()].Data }

func (o *attentionOp) Out(ext []*Extent, width []int) (*Extent, int, error) {
	last := o.segment()
	if len(width) != last+1 {
		return nil, 0, fmt.Errorf("%d inputs, want own features, %d sets and a segment", len(width), len(o.m.Sets))
	}
	if width[0] != o.m.Own {
		return nil, 0, fmt.Errorf("own features of width %d, want %d", width[0], o.m.Own)
	}
	if err := needSets(o.m.Sets, width[1:last], o.counts); err != nil {
		return nil, 0, err
	}
	if err := needSegment(ext[last], width[last], o.m.Segment); err != nil {
		return nil, 0, err
	}
	return ext[0], o.m.Width(), sameRows(ext[:last])
}

func (o *attentionOp) Forward(in []Mat, out Mat) error {
	if out.Rows == 0 {
		return nil
	}
	o.pack(o.data(in))
	o.start(out.Rows, in[0].Data, out.Data)
	for s, n := range o.counts {
		o.look(s, out.Rows, n, in[1+s].Data, out.Data)
	}
	return nil
}

func (o *attentionOp) Backward(in []Mat, _, dOut Mat, dIn []Mat) error {
	dp, rows, m := dIn[o.segment()].Data, dOut.Rows, o.m
	if dp == nil {
		return nil
	}
	clear(dp)
	if rows == 0 {
		return nil
	}
	o.dq = room(o.dq, rows*m.Key)
	clear(o.dq)
	for s := range m.Sets {
		o.setGrad(s, in[1+s].Data, o.data(in), dOut, dp)
	}
	own := in[0].Data
	kernel.Gemm(m.product(kernel.TN, m.Own, m.Key), m.Key, m.Own, rows, o.dq, m.Key, own, m.Own, false, m.of(dp, atQuery), m.Own, &o.scratch)
	kernel.ColSumAdd(m.of(dp, atQueryBias), rows, m.Key, o.dq, m.Key)
	kernel.Gemm(m.product(kernel.TN, m.Own, m.Out), m.Out, m.Own, rows, dOut.Data, dOut.Cols, own, m.Own, false, m.of(dp, atOwn), m.Own, &o.scratch)
	kernel.ColSumAdd(m.of(dp, atOwnBias), rows, m.Out, dOut.Data, dOut.Cols)
	return nil
}

// setGrad writes the gradients of set s and adds its share to that of the
// queries. The bias of the keys moves all scores of a row alike and has none.
func (o *attentionOp) setGrad(s int, items, seg []float32, dOut Mat, dp []float32) {
	k, w, rows, m, at := &o.sets[s], o.m.Sets[s].Width, dOut.Rows, o.m, atSets+4*s
	df, ld := dOut.Data[(1+s)*m.Out:], dOut.Cols
	kernel.Gemm(m.product(kernel.TN, w, m.Out), m.Out, w, rows, df, ld, k.mean, w, false, m.of(dp, at+2), w, &o.scratch)
	kernel.ColSumAdd(m.of(dp, at+3), rows, m.Out, df, ld)

	o.dmean, o.da, o.dp = room(o.dmean, rows*w), room(o.da, rows*k.n), room(o.dp, rows*w)
	kernel.Gemm(m.product(kernel.NN, w, m.Out), rows, w, m.Out, df, ld, m.of(seg, at+2), w, false, o.dmean, w, &o.scratch)
	dotItems(rows, k.n, w, o.dmean, items, o.da)
	kernel.SoftmaxRowsGrad(rows, k.n, o.da, k.a, o.da, k.n)
	clear(o.dp)
	mixItems(rows, k.n, w, o.da, items, o.dp)
	kernel.Scale(o.dp, o.scale())
	kernel.Gemm(m.product(kernel.TN, w, m.Key), m.Key, w, rows, o.q, m.Key, o.dp, w, false, m.of(dp, at), w, &o.scratch)
	kernel.Gemm(m.product(kernel.NT, w, m.Key), rows, m.Key, w, o.dp, w, m.of(seg, at), w, true, o.dq, m.Key, &o.scratch)
}
