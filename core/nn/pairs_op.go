package nn

import (
	"fmt"
	"slices"

	"macpro/core/nn/internal/kernel"
)

// pairsOp is a Pairs in a graph: inputs items [N, n*Embed.In()], contexts [N,
// Context()] and the segments of Embed and Join, output [N, n*Join.Out()]. Items
// are data, no gradient flows into them.
//
// Nothing is kept of the forward pass but the contexts' share: Backward looks
// for the pairs whose answers have a gradient, usually few, and computes their
// layers again.
type pairsOp struct {
	pairing
	wanted []uint8 // [N, n] not 0 for the answers that are computed; nil if all are
	n      int     // items in a row
	turned []kernel.Packed
	grads  [][]float32 // [blockRows, to] gradient of each layer's output
	dBase  []float32   // [N, width] gradient of the contexts' share
	chosen []int32     // pairs that are wanted, or that have a gradient
	items  []float32   // [blockRows, Embed.In()] gathered items
}

// Op makes a new operation of the modules. It computes the answers of the pairs
// that wanted [N, n] marks when the graph runs; the others are 0. With nil it
// computes all.
func (m Pairs) Op(wanted []uint8) Fused {
	k := m.links()
	return &pairsOp{pairing: newPairing(m, k), wanted: wanted, turned: make([]kernel.Packed, len(k)), grads: make([][]float32, len(k))}
}

func (o *pairsOp) Name() string         { return "pairs " + o.m.Join.Name }
func (o *pairsOp) NeedsGrad(i int) bool { return i > 0 }

func (o *pairsOp) Out(ext []*Extent, width []int) (*Extent, int, error) {
	if err := o.m.check(); err != nil {
		return nil, 0, err
	}
	if len(width) != 4 {
		return nil, 0, fmt.Errorf("%d inputs, want items, contexts and two segments", len(width))
	}
	counts := []int{0}
	if err := needSets([]Set{{Name: o.m.Embed.Name, Width: o.m.Embed.In()}}, width[:1], counts); err != nil {
		return nil, 0, err
	}
	if width[1] != o.m.Context() {
		return nil, 0, fmt.Errorf("contexts of width %d, want %d", width[1], o.m.Context())
	}
	for i, s := range []Segment{o.m.Embed.Segment, o.m.Join.Segment} {
		if err := needSegment(ext[2+i], width[2+i], s); err != nil {
			return nil, 0, err
		}
	}
	o.n = counts[0]
	return ext[0], o.n * o.m.Join.Out(), sameRows(ext[:2])
}

func (o *pairsOp) Forward(in []Mat, out Mat) error {
	if out.Rows == 0 {
		return nil
	}
	o.pack(in[2].Data, in[3].Data)
	o.contexts(out.Rows, in[1].Data)
	if o.wanted == nil {
		o.answers(out.Rows, o.n, in[0].Data, out.Data)
		return nil
	}
	o.some(in[0], out)
	return nil
}

// some computes the answers of the wanted pairs.
func (o *pairsOp) some(items, out Mat) {
	clear(out.Data)
	o.chosen = o.chosen[:0]
	for p, is := range o.wanted[:out.Rows*o.n] {
		if is != 0 {
			o.chosen = append(o.chosen, int32(p))
		}
	}
	o.makeRoom()
	last := o.links[len(o.links)-1]
	for block := range slices.Chunk(o.chosen, blockRows) {
		y := o.layers(block, items, last.act)
		for i, p := range block {
			copy(out.Data[int(p)*last.to:], y[i*last.to:(i+1)*last.to])
		}
	}
}

func (o *pairsOp) Backward(in []Mat, _, dOut Mat, dIn []Mat) error {
	for _, seg := range dIn[2:] {
		clear(seg.Data)
	}
	if dOut.Rows == 0 {
		return nil
	}
	k := o.links[o.at]
	o.dBase = room(o.dBase, dOut.Rows*k.to)
	clear(o.dBase)
	o.choose(dOut)
	o.turn(in)
	o.makeRoom()
	act := o.links[len(o.links)-1].act
	if act == ActAbs {
		act = ActNone // the gradient of |x| is that of x
	}
	for block := range slices.Chunk(o.chosen, blockRows) {
		o.layers(block, in[0], act)
		o.block(block, dOut, dIn[2].Data, dIn[3].Data)
	}
	c, rows := o.m.Context(), dOut.Rows
	if seg := dIn[3].Data; seg != nil {
		kernel.Gemm(k.of.product(kernel.TN, c, k.to), k.to, c, rows, o.dBase, k.to, in[1].Data, c, false, k.weight.Of(seg)[k.from:], k.wide, &o.scratch)
		kernel.ColSumAdd(k.bias.Of(seg), rows, k.to, o.dBase, k.to)
	}
	if dc := dIn[1].Data; dc != nil {
		kernel.Gemm(k.of.product(kernel.NN, c, k.to), rows, c, k.to, o.dBase, k.to, k.weight.Of(in[3].Data)[k.from:], k.wide, false, dc, c, &o.scratch)
	}
	return nil
}

// choose lists the pairs whose answers have a gradient.
func (o *pairsOp) choose(dOut Mat) {
	o.chosen = o.chosen[:0]
	out := o.m.Join.Out()
	for p := range dOut.Rows * o.n {
		for _, g := range dOut.Data[p*out : (p+1)*out] {
			if g != 0 {
				o.chosen = append(o.chosen, int32(p))
				break
			}
		}
	}
}

// turn packs the weights for dx = dy W and makes room for gradients.
func (o *pairsOp) turn(in []Mat) {
	for i, k := range o.links {
		if i == 0 {
			continue
		}
		seg := in[2].Data
		if k.join {
			seg = in[3].Data
		}
		k.of.pack(&o.turned[i], false, k.to, k.from, k.weight.Of(seg), k.wide)
	}
	for i, k := range o.links {
		o.grads[i] = room(o.grads[i], blockRows*k.to)
	}
}

// makeRoom is for the layers of a block.
func (o *pairsOp) makeRoom() {
	for i, k := range o.links {
		o.acts[i] = room(o.acts[i], blockRows*k.to)
	}
	o.items = room(o.items, blockRows*o.links[0].from)
}

// layers computes the layers of some pairs, the last one with the given
// activation. It returns that layer's output.
func (o *pairsOp) layers(block []int32, items Mat, last Act) []float32 {
	in, pairs := o.links[0].from, len(block)
	for i, p := range block {
		copy(o.items[i*in:(i+1)*in], items.Data[int(p)*in:])
	}
	src := o.items[:pairs*in]
	for i, k := range o.links {
		dst, act := o.acts[i][:pairs*k.to], k.act
		if k.first {
			for j, p := range block {
				o.lay(dst, j, int(p)/o.n)
			}
		}
		if i == len(o.links)-1 {
			act = last
		}
		o.layer(i, pairs, src, act, dst)
		src = dst
	}
	return src
}

// block adds the gradients of some pairs.
func (o *pairsOp) block(block []int32, dOut Mat, dEmbed, dJoin []float32) {
	last, pairs, out := len(o.links)-1, len(block), o.m.Join.Out()
	for i, p := range block {
		copy(o.grads[last][i*out:(i+1)*out], dOut.Data[int(p)*out:])
	}
	for i := last; i >= 0; i-- {
		k := o.links[i]
		d, y := o.grads[i][:pairs*k.to], o.acts[i][:pairs*k.to]
		switch k.act {
		case ActReLU:
			kernel.ReLUGrad(d, y, d)
		case ActAbs:
			kernel.AbsGrad(d, y, d)
		}
		src := o.items
		if i > 0 {
			src = o.acts[i-1]
		}
		o.layerGrad(k, block, src[:pairs*k.from], d, dEmbed, dJoin)
		if i > 0 {
			kernel.GemmPacked(pairs, d, k.to, &o.turned[i], false, o.grads[i-1][:pairs*k.from], k.from, &o.scratch)
		}
	}
}

// layerGrad adds the gradient of a layer whose input was src and whose output
// has the gradient d. The layer that the context joins leaves its bias and its
// share of the weight to the end.
func (o *pairsOp) layerGrad(k link, block []int32, src, d, dEmbed, dJoin []float32) {
	seg := dEmbed
	if k.join {
		seg = dJoin
	}
	if k.first {
		for i, p := range block {
			row := int(p) / o.n
			kernel.Add(o.dBase[row*k.to:(row+1)*k.to], d[i*k.to:(i+1)*k.to])
		}
	}
	if seg == nil {
		return
	}
	kernel.Gemm(k.of.product(kernel.TN, k.from, k.to), k.to, k.from, len(block), d, k.to, src, k.from, true, k.weight.Of(seg), k.wide, &o.scratch)
	if !k.first {
		kernel.ColSumAdd(k.bias.Of(seg), len(block), k.to, d, k.to)
	}
}
