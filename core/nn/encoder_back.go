package nn

import "macpro/core/nn/internal/kernel"

// backTape is the memory of the backward pass.
type backTape struct {
	d      []float32 // [N,W] gradient that goes down the stack
	dc, dm []float32 // gradients of the folded weights of each block
}

// hand is the working memory of one goroutine, for one chunk.
type hand struct {
	f       []float32 // [rows,FF]
	o, u    []float32 // [rows,H*W]
	a       []float32 // attention weights of one sequence
	scratch kernel.Scratch
}

func (o *blocksOp) Backward(in []Mat, out, dOut Mat, dIn []Mat) error {
	w, wide := o.m.Width, o.m.Heads*o.m.Width
	seg, dp := in[1].Data, dIn[1].Data
	rows, scores := 0, 0
	for _, c := range o.chunks {
		rows = max(rows, c.rows)
		for s := c.from; s < c.to; s++ {
			_, n := o.seqs.At(s)
			scores = max(scores, n*o.m.Heads*scoreStride(o.seqs.Keys[s]))
		}
	}
	for i := range o.hands {
		h := &o.hands[i]
		h.f, h.a = room(h.f, rows*o.m.FF), room(h.a, scores)
		h.o, h.u = room(h.o, rows*wide), room(h.u, rows*wide)
	}
	b, fold := &o.back, w*wide
	b.d = room(b.d, len(dOut.Data))
	copy(b.d, dOut.Data)
	b.dc, b.dm = room(b.dc, o.m.Depth*fold), room(b.dm, o.m.Depth*fold)
	clear(dp)
	clear(b.dc)
	clear(b.dm)
	for i := range o.weights {
		o.fold(i, seg, true)
	}
	if stages := min(o.crew.Size(), o.m.Depth); stages > 1 {
		o.backwardTogether(stages, in, dp)
	} else {
		for _, c := range o.chunks {
			o.downStack(o.m.Depth-1, 0, c, in, dp, &o.hands[0])
		}
	}
	copy(dIn[0].Data, b.d)
	for i := range o.weights {
		o.unfold(i, seg, dp, b.dc[i*fold:(i+1)*fold], b.dm[i*fold:(i+1)*fold])
	}
	return nil
}

// downStack is the backward pass of the blocks from down to to for a chunk.
func (o *blocksOp) downStack(from, to int, c chunk, in []Mat, dp []float32, h *hand) {
	w := o.m.Width
	lo, hi := c.lo*w, (c.lo+c.rows)*w
	for i := from; i >= to; i-- {
		t := o.at(i, c)
		if t.x = in[0].Data[lo:hi]; i > 0 || o.m.Positions {
			t.x = o.between(i, c)
		}
		o.backward(i, c, &t, in[1].Data, dp, o.back.d[lo:hi], h)
	}
}

// backwardTogether lets several goroutines form a line, each with some
// neighbouring blocks. So the gradients of a block are summed over the chunks in
// order, however many goroutines there are.
func (o *blocksOp) backwardTogether(stages int, in []Mat, dp []float32) {
	last := o.m.Depth - 1
	o.crew.line(stages, len(o.chunks), func(k, i int) {
		o.downStack(last-k*o.m.Depth/stages, last+1-(k+1)*o.m.Depth/stages, o.chunks[i], in, dp, &o.hands[k])
	})
}

// backward turns d, the gradient of block i's output for a chunk, into that of
// its input, and adds the chunk's share of the weights' gradients.
func (o *blocksOp) backward(i int, c chunk, t *tape, seg, dp, d []float32, h *hand) {
	f, n, w, wide, ff := &o.weights[i], c.rows, o.m.Width, o.m.Heads*o.m.Width, o.m.FF
	b, fold := &o.back, w*wide
	of := func(at int) []float32 { return o.m.of(dp, i, at) }

	kernel.LayerNormRowsGrad(n, w, t.g, o.m.of(seg, i, atNorm2), t.mean2, t.rstd2, d, d, of(atNorm2), of(atNorm2Bias))
	kernel.Gemm(o.m.product(kernel.TN, ff, w), w, ff, n, d, w, t.f, ff, true, of(atFF2), ff, &h.scratch)
	kernel.ColSumAdd(of(atFF2Bias), n, w, d, w)
	df := h.f[:n*ff]
	kernel.GemmPacked(n, d, w, &f.ff2Back, false, df, ff, &h.scratch)
	kernel.ReLUGrad(df, t.f, df)
	kernel.Gemm(o.m.product(kernel.TN, w, ff), ff, w, n, df, ff, t.y, w, true, of(atFF1), w, &h.scratch)
	kernel.ColSumAdd(of(atFF1Bias), n, ff, df, ff)
	kernel.GemmPacked(n, df, ff, &f.ff1Back, true, d, w, &h.scratch)

	kernel.LayerNormRowsGrad(n, w, t.p, o.m.of(seg, i, atNorm1), t.mean1, t.rstd1, d, d, of(atNorm1), of(atNorm1Bias))
	kernel.Gemm(o.m.product(kernel.TN, wide, w), w, wide, n, d, w, t.o, wide, true, b.dm[i*fold:], wide, &h.scratch)
	kernel.ColSumAdd(of(atUnifyBias), n, w, d, w)
	kernel.GemmPacked(n, d, w, &f.mBack, false, h.o, wide, &h.scratch)
	o.attendGrad(c, t, d, h)
	kernel.Gemm(o.m.product(kernel.TN, w, wide), wide, w, n, h.u, wide, t.x, w, true, b.dc[i*fold:], w, &h.scratch)
	kernel.GemmPacked(n, h.u, wide, &f.cBack, true, d, w, &h.scratch)
}

// attendGrad is the gradient of attend: from that of the averages, in h.o, it
// sets that of u, in h.u, and adds that of the tokens to d.
func (o *blocksOp) attendGrad(c chunk, t *tape, d []float32, h *hand) {
	w, scores := o.m.Width, 0
	for s := c.from; s < c.to; s++ {
		first, n := o.seqs.At(s)
		rows, keys := n*o.m.Heads, o.seqs.Keys[s]
		lo, ld := first-c.lo, scoreStride(keys)
		x, wide := t.x[lo*w:(lo+keys)*w], lo*o.m.Heads*w
		dx, a, da := d[lo*w:(lo+keys)*w], t.a[scores:scores+rows*ld], h.a[:rows*ld]
		kernel.Gemm(kernel.NT, rows, keys, w, h.o[wide:], w, x, w, false, da, ld, &h.scratch)
		kernel.Gemm(kernel.TN, keys, w, rows, a, ld, h.o[wide:], w, true, dx, w, &h.scratch)
		kernel.SoftmaxRowsGrad(rows, keys, da, a, da, ld)
		kernel.Gemm(kernel.NN, rows, w, keys, da, ld, x, w, false, h.u[wide:], w, &h.scratch)
		kernel.Gemm(kernel.TN, keys, w, rows, da, ld, t.u[wide:], w, true, dx, w, &h.scratch)
		scores += rows * ld
	}
}
