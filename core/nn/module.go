package nn

import (
	"fmt"

	"macpro/core/nn/internal/kernel"
)

// Act is the activation that follows a layer.
type Act = kernel.Act

// The activations of a layer: x, max(x,0) and |x|.
const (
	ActNone = kernel.ActNone
	ActReLU = kernel.ActReLU
	ActAbs  = kernel.ActAbs
)

// MLP is a stack of linear layers y = act(W x + b) with ReLU between the layers
// and Last after the last one. Layer i, counted from 1, has the tensors
// fc<i>.weight [Widths[i], Widths[i-1]] and fc<i>.bias [Widths[i]]. A module is
// only the plan; it serves every network of its layout.
type MLP struct {
	Segment
	Widths []int // input, hidden..., output
	Last   Act
}

// MLP plans a stack with the given widths, input first, output last.
func (l *Layout) MLP(name string, widths []int, last Act) MLP {
	if len(widths) < 2 {
		l.fail("MLP %q has widths %v, at least an input and an output are needed", name, widths)
		return MLP{}
	}
	var tensors []TensorSpec
	for i := 1; i < len(widths); i++ {
		in, out := widths[i-1], widths[i]
		tensors = append(tensors,
			TensorSpec{Name: fmt.Sprintf("fc%d.weight", i), Shape: []int{out, in}, Init: FanIn(in)},
			TensorSpec{Name: fmt.Sprintf("fc%d.bias", i), Shape: []int{out}, Init: FanIn(in)})
	}
	return MLP{l.Segment(name, tensors...), widths, last}
}

// Linear plans a single layer y = act(W x + b), an MLP without hidden layers.
// Its tensors are fc1.weight [out,in] and fc1.bias [out].
func (l *Layout) Linear(name string, in, out int, act Act) MLP {
	return l.MLP(name, []int{in, out}, act)
}

// In and Out are the widths of the stack's input and output.
func (m MLP) In() int  { return m.Widths[0] }
func (m MLP) Out() int { return m.Widths[len(m.Widths)-1] }

// layers is the number of linear layers.
func (m MLP) layers() int { return len(m.Widths) - 1 }

// act is the activation after layer i, counted from 0.
func (m MLP) act(i int) Act {
	if i == m.layers()-1 {
		return m.Last
	}
	return ActReLU
}

// weight and bias cut the tensors of layer i, counted from 0, out of the
// segment's floats.
func (m MLP) weight(seg []float32, i int) []float32 { return m.Tensors[2*i].Of(seg) }
func (m MLP) bias(seg []float32, i int) []float32   { return m.Tensors[2*i+1].Of(seg) }

// GRU is a gated recurrent cell (Cho et al., 2014) with PyTorch's layout:
// weight_ih [3h,in], weight_hh [3h,h], bias_ih [3h] and bias_hh [3h], each with
// the gates in the order r, z, n:
//
//	r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
//	z = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
//	n = tanh(W_in x + b_in + r*(W_hn h + b_hn))
//	h' = (1-z)*n + z*h
type GRU struct {
	Segment
	In, Hidden int
}

// GRU plans a recurrent cell; all of it is drawn from +-1/sqrt(hidden).
func (l *Layout) GRU(name string, in, hidden int) GRU {
	if in < 1 || hidden < 1 {
		l.fail("GRU %q has %d inputs and %d hidden units, both must be at least 1", name, in, hidden)
		return GRU{}
	}
	start := FanIn(hidden)
	return GRU{l.Segment(name,
		TensorSpec{Name: "weight_ih", Shape: []int{3 * hidden, in}, Init: start},
		TensorSpec{Name: "weight_hh", Shape: []int{3 * hidden, hidden}, Init: start},
		TensorSpec{Name: "bias_ih", Shape: []int{3 * hidden}, Init: start},
		TensorSpec{Name: "bias_hh", Shape: []int{3 * hidden}, Init: start},
	), in, hidden}
}

// wIH, wHH, bIH and bHH cut the tensors out of the segment's floats.
func (m GRU) wIH(seg []float32) []float32 { return m.Tensors[0].Of(seg) }
func (m GRU) wHH(seg []float32) []float32 { return m.Tensors[1].Of(seg) }
func (m GRU) bIH(seg []float32) []float32 { return m.Tensors[2].Of(seg) }
func (m GRU) bHH(seg []float32) []float32 { return m.Tensors[3].Of(seg) }
