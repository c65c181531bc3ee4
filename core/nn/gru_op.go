package nn

import "macpro/core/nn/internal/kernel"

// gruOp runs a GRU over whole sequences that start from a zero hidden state:
// inputs x [N, In] and the module's segment, output the hidden states [N,
// Hidden]; Steps says where each step's rows are. The input's share of the
// gates is one product over all rows, and so are the weight gradients after the
// loop backwards through time.
type gruOp struct {
	m      GRU
	steps  *Steps
	record bool

	wIH, wHH      kernel.Packed // transposed, for the forward pass
	wIHBack       kernel.Packed
	wHHBack       kernel.Packed
	kept          [2]kept   // of those for the forward and the backward pass
	gx, gh        []float32 // [N,3h] shares of the gates; their gradients afterwards
	r, z, n, prev []float32 // [N,h] gates and previous hidden states
	dh            []float32 // [rows of step 0, h]
	scratch       kernel.Scratch
}

// Op makes a new operation of the module with inputs (rows [N,In], segment) and
// output [N,Hidden]. steps must describe the N rows in every run.
func (m GRU) Op(steps *Steps) Fused { return &gruOp{m: m, steps: steps} }

func (o *gruOp) Name() string       { return "GRU " + o.m.Name }
func (o *gruOp) NeedsGrad(int) bool { return true }
func (o *gruOp) Record()            { o.record = true }

func (o *gruOp) keepWeights(net *Network) { o.kept = [2]kept{{net: net}, {net: net}} }

func (o *gruOp) Out(ext []*Extent, width []int) (*Extent, int, error) {
	if err := needRowsAndSegment(ext, width, o.m.In, o.m.Len); err != nil {
		return nil, 0, err
	}
	return ext[0], o.m.Hidden, nil
}

func (o *gruOp) Forward(in []Mat, out Mat) error {
	x, seg, h := in[0], in[1].Data, o.m.Hidden
	if x.Rows == 0 {
		return nil
	}
	if err := o.steps.fits(x.Rows); err != nil {
		return err
	}
	o.reserve(x.Rows)
	if !o.kept[0].fresh() {
		o.m.pack(&o.wIH, true, o.m.In, 3*h, o.m.wIH(seg), o.m.In)
		o.m.pack(&o.wHH, true, h, 3*h, o.m.wHH(seg), h)
	}
	kernel.GemmBiasAct(x.Rows, x.Data, o.m.In, &o.wIH, o.m.bIH(seg), ActNone, o.gx, 3*h, &o.scratch)
	for t := range o.steps.Len() {
		first, rows := o.steps.at(t)
		kept := 0 // where the step's intermediate values are kept
		if o.record {
			kept = first
		}
		prev := o.prev[kept*h : (kept+rows)*h]
		if t == 0 {
			clear(prev)
		} else {
			copy(prev, out.Data[o.steps.Offset[t-1]*h:])
		}
		gh := o.gh[kept*3*h:]
		kernel.GemmBiasAct(rows, prev, h, &o.wHH, o.m.bHH(seg), ActNone, gh, 3*h, &o.scratch)
		kernel.GRUGates(rows, h, o.gx[first*3*h:], gh, prev,
			o.r[kept*h:], o.z[kept*h:], o.n[kept*h:], out.Data[first*h:])
	}
	return nil
}

// reserve makes room for n rows; what only Backward reads needs no more than
// the rows of the first step if there will be none.
func (o *gruOp) reserve(n int) {
	h := o.m.Hidden
	_, widest := o.steps.at(0)
	kept := n
	if !o.record {
		kept = widest
	}
	o.gx, o.gh = room(o.gx, n*3*h), room(o.gh, kept*3*h)
	o.r, o.z, o.n = room(o.r, kept*h), room(o.z, kept*h), room(o.n, kept*h)
	o.prev, o.dh = room(o.prev, kept*h), room(o.dh, widest*h)
}

func (o *gruOp) Backward(in []Mat, out, dOut Mat, dIn []Mat) error {
	x, h := in[0], o.m.Hidden
	if x.Rows == 0 {
		clear(dIn[1].Data)
		return nil
	}
	if !o.kept[1].fresh() {
		o.m.pack(&o.wHHBack, false, 3*h, h, o.m.wHH(in[1].Data), h)
		o.m.pack(&o.wIHBack, false, 3*h, o.m.In, o.m.wIH(in[1].Data), o.m.In)
	}
	alive := 0 // rows of dh that carry a gradient from the next step
	for t := o.steps.Len() - 1; t >= 0; t-- {
		first, rows := o.steps.at(t)
		dh, g := o.dh[:rows*h], dOut.Data[first*h:(first+rows)*h]
		kernel.Add(dh[:alive*h], g[:alive*h])
		copy(dh[alive*h:], g[alive*h:])
		gx, gh := o.gx[first*3*h:], o.gh[first*3*h:]
		kernel.GRUGatesGrad(rows, h, gh, o.prev[first*h:], o.r[first*h:], o.z[first*h:], o.n[first*h:], dh, gx, gh, dh)
		if t > 0 {
			kernel.GemmPacked(rows, gh, 3*h, &o.wHHBack, true, dh, h, &o.scratch)
		}
		alive = rows
	}
	o.weightGrads(x, dIn[1].Data)
	if dx := dIn[0].Data; dx != nil {
		kernel.GemmPacked(x.Rows, o.gx, 3*h, &o.wIHBack, false, dx, o.m.In, &o.scratch)
	}
	return nil
}

// weightGrads writes the gradient of the segment from those of the gates,
// which have taken the place of gx and gh.
func (o *gruOp) weightGrads(x Mat, dp []float32) {
	if dp == nil {
		return
	}
	clear(dp)
	h, in := o.m.Hidden, o.m.In
	kernel.Gemm(o.m.product(kernel.TN, in, 3*h), 3*h, in, x.Rows, o.gx, 3*h, x.Data, in, false, o.m.wIH(dp), in, &o.scratch)
	kernel.Gemm(o.m.product(kernel.TN, h, 3*h), 3*h, h, x.Rows, o.gh, 3*h, o.prev, h, false, o.m.wHH(dp), h, &o.scratch)
	kernel.ColSumAdd(o.m.bIH(dp), x.Rows, 3*h, o.gx, 3*h)
	kernel.ColSumAdd(o.m.bHH(dp), x.Rows, 3*h, o.gh, 3*h)
}
