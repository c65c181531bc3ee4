package nn

import "macpro/core/nn/internal/kernel"

// backTape is the working memory of the backward pass, for one chunk.
type backTape struct {
	d      []float32 // [rows,W] gradient that goes down the stack
	f      []float32 // [rows,FF]
	o, u   []float32 // [rows,H*W]
	a      []float32 // attention weights of one sequence
	dc, dm []float32 // gradients of the folded weights of each block
}

func (o *blocksOp) Backward(in []Mat, out, dOut Mat, dIn []Mat) error {
	x, w, wide := in[0], o.m.Width, o.m.Heads*o.m.Width
	seg, dp := in[1].Data, dIn[1].Data
	rows, scores := 0, 0
	for _, c := range o.chunks {
		rows = max(rows, c.rows)
		for s := c.from; s < c.to; s++ {
			_, n := o.seqs.At(s)
			scores = max(scores, n*o.m.Heads*o.seqs.Keys[s])
		}
	}
	b, fold := &o.back, w*wide
	b.d, b.f, b.a = room(b.d, rows*w), room(b.f, rows*o.m.FF), room(b.a, scores)
	b.o, b.u = room(b.o, rows*wide), room(b.u, rows*wide)
	b.dc, b.dm = room(b.dc, o.m.Depth*fold), room(b.dm, o.m.Depth*fold)
	clear(dp)
	clear(b.dc)
	clear(b.dm)
	for i := range o.weights {
		o.fold(i, seg, true)
	}
	for _, c := range o.chunks {
		d := b.d[:c.rows*w]
		copy(d, dOut.Data[c.lo*w:])
		for i := o.m.Depth - 1; i >= 0; i-- {
			t := o.at(i, c)
			if t.x = x.Data[c.lo*w : (c.lo+c.rows)*w]; i > 0 || o.m.Positions {
				t.x = o.between(i, c)
			}
			o.backward(i, c, &t, seg, dp, d)
		}
		if dx := dIn[0].Data; dx != nil {
			copy(dx[c.lo*w:], d)
		}
	}
	for i := range o.weights {
		o.unfold(i, seg, dp, b.dc[i*fold:(i+1)*fold], b.dm[i*fold:(i+1)*fold])
	}
	return nil
}

// backward turns d, the gradient of block i's output for a chunk, into that of
// its input, and adds the chunk's share of the weights' gradients.
func (o *blocksOp) backward(i int, c chunk, t *tape, seg, dp, d []float32) {
	f, n, w, wide, ff := &o.weights[i], c.rows, o.m.Width, o.m.Heads*o.m.Width, o.m.FF
	b, fold := &o.back, w*wide
	of := func(at int) []float32 { return o.m.of(dp, i, at) }

	kernel.LayerNormRowsGrad(n, w, t.g, o.m.of(seg, i, atNorm2), t.mean2, t.rstd2, d, d, of(atNorm2), of(atNorm2Bias))
	kernel.Gemm(kernel.TN, w, ff, n, d, w, t.f, ff, true, of(atFF2), ff, &o.scratch)
	kernel.ColSumAdd(of(atFF2Bias), n, w, d, w)
	df := b.f[:n*ff]
	kernel.GemmPacked(n, d, w, &f.ff2Back, false, df, ff)
	kernel.ReLUGrad(df, t.f, df)
	kernel.Gemm(kernel.TN, ff, w, n, df, ff, t.y, w, true, of(atFF1), w, &o.scratch)
	kernel.ColSumAdd(of(atFF1Bias), n, ff, df, ff)
	kernel.GemmPacked(n, df, ff, &f.ff1Back, true, d, w)

	kernel.LayerNormRowsGrad(n, w, t.p, o.m.of(seg, i, atNorm1), t.mean1, t.rstd1, d, d, of(atNorm1), of(atNorm1Bias))
	kernel.Gemm(kernel.TN, w, wide, n, d, w, t.o, wide, true, b.dm[i*fold:], wide, &o.scratch)
	kernel.ColSumAdd(of(atUnifyBias), n, w, d, w)
	kernel.GemmPacked(n, d, w, &f.mBack, false, b.o, wide)
	o.attendGrad(c, t, d)
	kernel.Gemm(kernel.TN, wide, w, n, b.u, wide, t.x, w, true, b.dc[i*fold:], w, &o.scratch)
	kernel.GemmPacked(n, b.u, wide, &f.cBack, true, d, w)
}

// attendGrad is the gradient of attend: from that of the averages, in back.o,
// it sets that of u, in back.u, and adds that of the tokens to d.
func (o *blocksOp) attendGrad(c chunk, t *tape, d []float32) {
	b, w, scores := &o.back, o.m.Width, 0
	for s := c.from; s < c.to; s++ {
		first, n := o.seqs.At(s)
		rows, keys := n*o.m.Heads, o.seqs.Keys[s]
		lo := first - c.lo
		x, wide := t.x[lo*w:(lo+keys)*w], lo*o.m.Heads*w
		dx, a, da := d[lo*w:(lo+keys)*w], t.a[scores:scores+rows*keys], b.a[:rows*keys]
		kernel.Gemm(kernel.NT, rows, keys, w, b.o[wide:], w, x, w, false, da, keys, &o.scratch)
		kernel.Gemm(kernel.TN, keys, w, rows, a, keys, b.o[wide:], w, true, dx, w, &o.scratch)
		kernel.SoftmaxRowsGrad(rows, keys, da, a, da, keys)
		kernel.Gemm(kernel.NN, rows, w, keys, da, keys, x, w, false, b.u[wide:], w, &o.scratch)
		kernel.Gemm(kernel.TN, keys, w, rows, da, keys, t.u[wide:], w, true, dx, w, &o.scratch)
		scores += rows * keys
	}
}
