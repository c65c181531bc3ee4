package nn

import (
	"fmt"

	"macpro/core/nn/internal/kernel"
)

// blockRows is the number of rows that a stack of layers works on at a time, so
// that all their activations stay in the second-level cache.
const blockRows = 96

// mlpOp is an MLP over rows: inputs x [N, in] and the module's segment, output
// [N, out]. The whole stack is one operation: the weights are packed once per
// run, and each block of rows goes through all layers before the next begins.
type mlpOp struct {
	m      MLP
	record bool

	weights weightsOf // packed transposed, for y = x W'
	turned  []kernel.Packed
	kept    [2]kept     // of weights and turned
	acts    [][]float32 // output of layer i: all rows if recorded, else one block
	pre     []float32   // input of a last |x|, all rows
	grad    [2][]float32
	scratch kernel.Scratch
}

// Op makes a new operation of the module with inputs (rows [N,In], segment) and
// output [N,Out].
func (m MLP) Op() Fused { return &mlpOp{m: m} }

func (o *mlpOp) Name() string       { return "MLP " + o.m.Name }
func (o *mlpOp) NeedsGrad(int) bool { return true }
func (o *mlpOp) Record()            { o.record = true }

func (o *mlpOp) keepWeights(net *Network) { o.kept = [2]kept{{net: net}, {net: net}} }

func (o *mlpOp) Out(ext []*Extent, width []int) (*Extent, int, error) {
	if err := needRowsAndSegment(ext, width, o.m.In(), o.m.Len); err != nil {
		return nil, 0, err
	}
	return ext[0], o.m.Out(), nil
}

// needRowsAndSegment checks the inputs (rows, segment) of a module.
func needRowsAndSegment(ext []*Extent, width []int, in, segment int) error {
	if len(width) != 2 {
		return fmt.Errorf("%d inputs, want rows and a segment", len(width))
	}
	if width[0] != in {
		return fmt.Errorf("rows have width %d, the module reads %d", width[0], in)
	}
	if ext[1] != nil || width[1] != segment {
		return fmt.Errorf("the parameters have width %d, the module's segment has %d", width[1], segment)
	}
	return nil
}

func (o *mlpOp) Forward(in []Mat, out Mat) error {
	x, last := in[0], o.m.layers()-1
	if !o.kept[0].fresh() {
		o.weights.pack(o.m, in[1].Data)
	}
	o.reserve(x.Rows)
	for lo := 0; lo < x.Rows; lo += blockRows {
		rows := min(blockRows, x.Rows-lo)
		src := x.Data[lo*x.Cols:]
		for i := range o.m.layers() {
			dst := out.Data[lo*out.Cols:]
			if i < last {
				dst = o.hidden(i, lo)
			}
			if i == last && o.pre != nil {
				pre := o.pre[lo*out.Cols : (lo+rows)*out.Cols]
				o.weights.layer(i, rows, src, ActNone, pre)
				kernel.Abs(dst[:len(pre)], pre)
				continue
			}
			o.weights.layer(i, rows, src, o.m.act(i), dst)
			src = dst
		}
	}
	return nil
}

func (o *mlpOp) reserve(n int) {
	if !o.record {
		n = min(n, blockRows)
	}
	if o.acts == nil {
		o.acts = make([][]float32, o.m.layers()-1)
	}
	for i := range o.acts {
		o.acts[i] = room(o.acts[i], n*o.m.Widths[i+1])
	}
	if o.record && o.m.Last == ActAbs {
		o.pre = room(o.pre, n*o.m.Out())
	}
}

// hidden is the output of layer i from row lo on.
func (o *mlpOp) hidden(i, lo int) []float32 {
	if !o.record {
		return o.acts[i]
	}
	return o.acts[i][lo*o.m.Widths[i+1]:]
}

func (o *mlpOp) Backward(in []Mat, out, dOut Mat, dIn []Mat) error {
	x, dx, dp := in[0], dIn[0].Data, dIn[1].Data
	clear(dp)
	if !o.kept[1].fresh() {
		o.turn(in[1].Data, dx != nil)
	}
	for i := range o.grad {
		o.grad[i] = room(o.grad[i], blockRows*o.widest())
	}
	for lo := 0; lo < x.Rows; lo += blockRows {
		rows := min(blockRows, x.Rows-lo)
		d := o.lastGrad(lo, rows, out, dOut)
		for i := o.m.layers() - 1; i >= 0; i-- {
			src := x.Data[lo*x.Cols:]
			if i > 0 {
				src = o.hidden(i-1, lo)
			}
			o.layerGrad(i, rows, src, d, dp)
			if i == 0 && dx == nil {
				break
			}
			next := o.grad[i&1]
			if i == 0 {
				next = dx[lo*x.Cols:]
			}
			next = next[:rows*o.m.Widths[i]]
			kernel.GemmPacked(rows, d, o.m.Widths[i+1], &o.turned[i], false, next, o.m.Widths[i], &o.scratch)
			if i > 0 {
				kernel.ReLUGrad(next, src[:len(next)], next)
			}
			d = next
		}
	}
	return nil
}

// lastGrad is the gradient before the last activation for a block of rows.
func (o *mlpOp) lastGrad(lo, rows int, out, dOut Mat) []float32 {
	a, b := lo*out.Cols, (lo+rows)*out.Cols
	d := o.grad[o.m.layers()&1][:b-a]
	switch o.m.Last {
	case ActReLU:
		kernel.ReLUGrad(d, out.Data[a:b], dOut.Data[a:b])
	case ActAbs:
		kernel.AbsGrad(d, o.pre[a:b], dOut.Data[a:b])
	default:
		return dOut.Data[a:b]
	}
	return d
}

// layerGrad adds a block's gradient of the weight and bias of layer i, whose
// input was src and whose output has the gradient d.
func (o *mlpOp) layerGrad(i, rows int, src, d, dp []float32) {
	if dp == nil {
		return
	}
	from, to := o.m.Widths[i], o.m.Widths[i+1]
	kernel.Gemm(o.m.product(kernel.TN, from, to), to, from, rows, d, to, src, from, true, o.m.weight(dp, i), from, &o.scratch)
	kernel.ColSumAdd(o.m.bias(dp, i), rows, to, d, to)
}

// turn packs the weights for dx = dy W.
func (o *mlpOp) turn(seg []float32, first bool) {
	if o.turned == nil {
		o.turned = make([]kernel.Packed, o.m.layers())
	}
	for i := range o.turned {
		if from, to := o.m.Widths[i], o.m.Widths[i+1]; i > 0 || first {
			o.m.pack(&o.turned[i], false, to, from, o.m.weight(seg, i), from)
		}
	}
}

func (o *mlpOp) widest() int {
	w := 0
	for _, n := range o.m.Widths[1:] {
		w = max(w, n)
	}
	return w
}
