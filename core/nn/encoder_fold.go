package nn

import (
	"math"

	"macpro/core/nn/internal/kernel"
)

// folded are the weights of one block as the operation uses them. Queries and
// keys only ever meet in the products q'k of one head, and values only reach
// the outside through the head's columns of U, so each pair is one matrix:
//
//	q_i'k_j / sqrt(W) = u_i'x_j  with u = C x,  C_h = K_h'Q_h / sqrt(W)
//	U_h V_h x         = M_h x                   M_h = U_h V_h
//
// which halves the projections of every row: scores are taken between u and
// the tokens themselves, and the attention averages the tokens themselves.
type folded struct {
	c, m []float32 // [H*W, W] and [W, H*W]

	cOut, mOut, ff1Out, ff2Out     kernel.Packed // forward: y = x W'
	cBack, mBack, ff1Back, ff2Back kernel.Packed // backward: dx = dy W
}

// fold computes the products from the parameters of block i and packs all
// weights; those of the backward pass only if it is wanted.
func (o *blocksOp) fold(i int, seg []float32, back bool) {
	f, w, wide, ff := &o.weights[i], o.m.Width, o.m.Heads*o.m.Width, o.m.FF
	q, k := o.m.of(seg, i, atQueries), o.m.of(seg, i, atKeys)
	v, u := o.m.of(seg, i, atValues), o.m.of(seg, i, atUnify)
	if !back {
		f.c, f.m = room(f.c, wide*w), room(f.m, w*wide)
		for h := range o.m.Heads {
			rows := h * w * w
			kernel.Gemm(kernel.TN, w, w, w, k[rows:], w, q[rows:], w, false, f.c[rows:], w, &o.hands[0].scratch)
			kernel.Gemm(kernel.NN, w, w, w, u[h*w:], wide, v[rows:], w, false, f.m[h*w:], wide, &o.hands[0].scratch)
		}
		kernel.Scale(f.c, o.scale())
		o.m.pack(&f.cOut, true, w, wide, f.c, w)
		o.m.pack(&f.mOut, true, wide, w, f.m, wide)
		o.m.pack(&f.ff1Out, true, w, ff, o.m.of(seg, i, atFF1), w)
		o.m.pack(&f.ff2Out, true, ff, w, o.m.of(seg, i, atFF2), ff)
		return
	}
	o.m.pack(&f.cBack, false, wide, w, f.c, w)
	o.m.pack(&f.mBack, false, w, wide, f.m, wide)
	o.m.pack(&f.ff1Back, false, ff, w, o.m.of(seg, i, atFF1), w)
	o.m.pack(&f.ff2Back, false, w, ff, o.m.of(seg, i, atFF2), ff)
}

// unfold turns the gradients dc and dm of the products of block i into those of
// the four weights.
func (o *blocksOp) unfold(i int, seg, dp, dc, dm []float32) {
	w, wide := o.m.Width, o.m.Heads*o.m.Width
	q, k := o.m.of(seg, i, atQueries), o.m.of(seg, i, atKeys)
	v, u := o.m.of(seg, i, atValues), o.m.of(seg, i, atUnify)
	dq, dk := o.m.of(dp, i, atQueries), o.m.of(dp, i, atKeys)
	dv, du := o.m.of(dp, i, atValues), o.m.of(dp, i, atUnify)
	kernel.Scale(dc, o.scale())
	for h := range o.m.Heads {
		rows := h * w * w
		kernel.Gemm(kernel.NN, w, w, w, k[rows:], w, dc[rows:], w, false, dq[rows:], w, &o.hands[0].scratch)
		kernel.Gemm(kernel.NT, w, w, w, q[rows:], w, dc[rows:], w, false, dk[rows:], w, &o.hands[0].scratch)
		kernel.Gemm(kernel.TN, w, w, w, u[h*w:], wide, dm[h*w:], wide, false, dv[rows:], w, &o.hands[0].scratch)
		kernel.Gemm(kernel.NT, w, w, w, dm[h*w:], wide, v[rows:], w, false, du[h*w:], wide, &o.hands[0].scratch)
	}
}

// scale is 1/sqrt(W), the factor of the scores.
func (o *blocksOp) scale() float32 { return float32(1 / math.Sqrt(float64(o.m.Width))) }
