package nn

import (
	"fmt"

	"macpro/core/nn/internal/kernel"
)

// summaryOp is a Summary in a graph: inputs the entities of each kind [N,
// n*Width] and the segments, output [N, Out()]. Entities are data, no gradient
// flows into them.
type summaryOp struct {
	m     Summary
	all   int // entities in a row
	kinds []summarised

	q, k    []float32 // [N, all, key]
	g       []float32 // [N, b, a] weights of entity a for entity b
	w       []float32 // [N, all] mean weights
	dg      []float32
	dk      []float32 // [all, key]
	scratch kernel.Scratch
}

// summarised is what belongs to the entities of one kind.
type summarised struct {
	n, first           int       // entities in a row, place of the first among all
	v, dv              []float32 // [N, n, out]
	q, k               []float32 // [N, n, key]
	w                  []float32 // [N, n]
	encode, query, key kernel.Packed
}

// Op makes a new operation of the module.
func (m Summary) Op() Fused { return &summaryOp{m: m, kinds: make([]summarised, len(m.Kinds))} }

func (o *summaryOp) Name() string         { return "summary " + o.m.Query.Name }
func (o *summaryOp) NeedsGrad(i int) bool { return i >= len(o.m.Kinds) }

func (o *summaryOp) Out(ext []*Extent, width []int) (*Extent, int, error) {
	rows, segs := len(o.m.Kinds), o.m.Segments()
	if len(width) != rows+len(segs) {
		return nil, 0, fmt.Errorf("%d inputs, want %d kinds of entities and %d segments", len(width), rows, len(segs))
	}
	counts := make([]int, rows)
	if err := needSets(o.m.Kinds, width[:rows], counts); err != nil {
		return nil, 0, err
	}
	for i, s := range segs {
		if err := needSegment(ext[rows+i], width[rows+i], s); err != nil {
			return nil, 0, err
		}
	}
	o.all = 0
	for s, n := range counts {
		o.kinds[s].n, o.kinds[s].first = n, o.all
		o.all += n
	}
	return ext[0], o.m.Out(), sameRows(ext[:rows])
}

// segment is the input with the segment of encoder s, of the query (s = kinds)
// or of the key (s = kinds+1).
func (o *summaryOp) segment(m []Mat, s int) []float32 { return m[len(o.kinds)+s].Data }

func (o *summaryOp) Forward(in []Mat, out Mat) error {
	rows, key, wide := out.Rows, o.m.Key.Out(), o.m.Out()
	if rows == 0 {
		return nil
	}
	o.q, o.k = room(o.q, rows*o.all*key), room(o.k, rows*o.all*key)
	o.g, o.w = room(o.g, rows*o.all*o.all), room(o.w, rows*o.all)
	for s := range o.kinds {
		o.encode(s, rows, in)
	}
	for r := range rows {
		q, k := o.q[r*o.all*key:(r+1)*o.all*key], o.k[r*o.all*key:(r+1)*o.all*key]
		g := o.g[r*o.all*o.all : (r+1)*o.all*o.all]
		kernel.Gemm(kernel.NT, o.all, o.all, key, k, key, q, key, false, g, o.all, &o.scratch)
		kernel.SoftmaxRows(o.all, o.all, g, o.all)
		w := o.w[r*o.all : (r+1)*o.all]
		clear(w)
		kernel.ColSumAdd(w, o.all, o.all, g, o.all)
	}
	kernel.Scale(o.w, 1/float32(o.all))
	clear(out.Data)
	for s := range o.kinds {
		k := &o.kinds[s]
		k.w = room(k.w, rows*k.n)
		o.part(k, rows, 1, o.w, k.w, false)
		mixItems(rows, k.n, wide, k.w, k.v, out.Data)
	}
	return nil
}

// encode computes the embeddings, queries and keys of one kind.
func (o *summaryOp) encode(s, rows int, in []Mat) {
	k, m, n, key, wide := &o.kinds[s], o.m, rows*o.kinds[s].n, o.m.Key.Out(), o.m.Out()
	k.v, k.q, k.k = room(k.v, n*wide), room(k.q, n*key), room(k.k, n*key)
	w, x := m.Kinds[s].Width, in[s].Data
	enc, query, keyed := o.segment(in, s), o.segment(in, len(o.kinds)), o.segment(in, len(o.kinds)+1)
	m.Encoders[s].pack(&k.encode, true, w, wide, m.Encoders[s].weight(enc, 0), w)
	m.Query.pack(&k.query, true, wide, key, m.Query.weight(query, 0), wide)
	m.Key.pack(&k.key, true, wide, key, m.Key.weight(keyed, 0), wide)
	kernel.GemmBiasAct(n, x, w, &k.encode, m.Encoders[s].bias(enc, 0), ActNone, k.v, wide, &o.scratch)
	kernel.GemmBiasAct(n, k.v, wide, &k.query, m.Query.bias(query, 0), ActNone, k.q, key, &o.scratch)
	kernel.GemmBiasAct(n, k.v, wide, &k.key, m.Key.bias(keyed, 0), ActNone, k.k, key, &o.scratch)
	o.part(k, rows, key, o.q, k.q, true)
	o.part(k, rows, key, o.k, k.k, true)
}

// part copies the part of all [N, all, w] that belongs to one kind into or out
// of own [N, n, w].
func (o *summaryOp) part(k *summarised, rows, w int, all, own []float32, into bool) {
	for r := range rows {
		a, b := all[(r*o.all+k.first)*w:(r*o.all+k.first+k.n)*w], own[r*k.n*w:(r+1)*k.n*w]
		if into {
			copy(a, b)
		} else {
			copy(b, a)
		}
	}
}

func (o *summaryOp) Backward(in []Mat, _, dOut Mat, dIn []Mat) error {
	for _, seg := range dIn[len(o.kinds):] {
		clear(seg.Data)
	}
	rows, key, wide := dOut.Rows, o.m.Key.Out(), o.m.Out()
	if rows == 0 {
		return nil
	}
	o.dg = room(o.dg, rows*o.all*o.all)
	for s := range o.kinds { // gradients of the mean weights take the weights' place
		k := &o.kinds[s]
		k.dv = room(k.dv, rows*k.n*wide)
		for p := range rows * k.n {
			dv := k.dv[p*wide : (p+1)*wide]
			copy(dv, dOut.Row(p/k.n))
			kernel.Scale(dv, k.w[p])
		}
		dotItems(rows, k.n, wide, dOut.Data, k.v, k.w)
		o.part(k, rows, 1, o.w, k.w, true)
	}
	kernel.Scale(o.w, 1/float32(o.all))
	for r := range rows {
		o.scoreGrad(r, key)
	}
	for s := range o.kinds {
		o.kindGrad(s, rows, in, dIn)
	}
	return nil
}

// scoreGrad replaces queries and keys of row r by their gradients.
func (o *summaryOp) scoreGrad(r, key int) {
	n := o.all
	q, k := o.q[r*n*key:(r+1)*n*key], o.k[r*n*key:(r+1)*n*key]
	g, dg, dw := o.g[r*n*n:(r+1)*n*n], o.dg[r*n*n:(r+1)*n*n], o.w[r*n:(r+1)*n]
	for b := range n {
		kernel.SoftmaxRowsGrad(1, n, dg[b*n:(b+1)*n], g[b*n:(b+1)*n], dw, n)
	}
	o.dk = room(o.dk, n*key)
	kernel.Gemm(kernel.NN, n, key, n, dg, n, q, key, false, o.dk, key, &o.scratch)
	kernel.Gemm(kernel.TN, n, key, n, dg, n, k, key, false, q, key, &o.scratch)
	copy(k, o.dk)
}

// kindGrad adds the gradients of the layers on one kind. The bias of the
// queries moves all scores of a softmax alike and has none.
func (o *summaryOp) kindGrad(s, rows int, in, dIn []Mat) {
	k, m, n, key, wide := &o.kinds[s], o.m, rows*o.kinds[s].n, o.m.Key.Out(), o.m.Out()
	o.part(k, rows, key, o.q, k.q, false)
	o.part(k, rows, key, o.k, k.k, false)
	for i, layer := range []MLP{m.Query, m.Key} {
		d := [][]float32{k.q, k.k}[i]
		kernel.Gemm(layer.product(kernel.NN, wide, key), n, wide, key, d, key, layer.weight(o.segment(in, len(o.kinds)+i), 0), wide, true, k.dv, wide, &o.scratch)
		if seg := o.segment(dIn, len(o.kinds)+i); seg != nil {
			kernel.Gemm(layer.product(kernel.TN, wide, key), key, wide, n, d, key, k.v, wide, true, layer.weight(seg, 0), wide, &o.scratch)
			if i == 1 {
				kernel.ColSumAdd(layer.bias(seg, 0), n, key, d, key)
			}
		}
	}
	if seg := o.segment(dIn, s); seg != nil {
		w := m.Kinds[s].Width
		kernel.Gemm(m.Encoders[s].product(kernel.TN, w, wide), wide, w, n, k.dv, wide, in[s].Data, w, false, m.Encoders[s].weight(seg, 0), w, &o.scratch)
		kernel.ColSumAdd(m.Encoders[s].bias(seg, 0), n, wide, k.dv, wide)
	}
}
