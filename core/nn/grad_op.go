package nn

import (
	"fmt"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// SymDiff adds the backward node and its picks.
func (o *forward) SymDiff(inputs gorgonia.Nodes, output, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	b := &backward{fwd: o, dIn: make([]Mat, len(o.in)), mems: make([]*memory, len(o.in))}
	b.identity = identity{id: o.g.unique(), name: o.name + " gradient", out: scalarType, dims: tensor.ScalarShape()}
	children := append(append(make(gorgonia.Nodes, 0, len(inputs)+2), inputs...), output, grad)
	for _, c := range children {
		b.args = append(b.args, typeOf(c))
	}
	done, err := gorgonia.ApplyOp(b, children...)
	if err != nil {
		return nil, err
	}
	if r, ok := o.f.(Recorder); ok {
		r.Record()
	}
	picked := make(gorgonia.Nodes, len(o.in))
	for i := range o.in {
		if !o.flows(i) {
			continue
		}
		if picked[i], err = b.pick(i, done); err != nil {
			return nil, err
		}
	}
	return picked, nil
}

// backward fills the gradients of all inputs. Its own result is only a token
// that the picks depend on.
type backward struct {
	identity
	fwd   *forward
	dIn   []Mat
	mems  []*memory // nil where no gradient flows
	token gorgonia.F32
}

// pick makes the memory and the node of the gradient of input i.
func (o *backward) pick(i int, done *gorgonia.Node) (*gorgonia.Node, error) {
	v := o.fwd.in[i]
	var data []float32
	if v.param != nil && v.param.direct {
		data = v.param.at.Of(v.param.net.Grads)
	}
	mem := newMemory(v.ext, v.width, v.node.IsScalar(), data)
	o.mems[i] = mem
	p := &pick{mem: mem}
	p.identity = identity{id: o.fwd.g.unique(), name: fmt.Sprintf("%s of input %d", o.name, i),
		args: []hm.Type{scalarType}, out: typeOf(v.node), dims: mem.value.Shape().Clone()}
	return gorgonia.ApplyOp(p, done)
}

// Do computes the gradients from the inputs, the output and its gradient.
func (o *backward) Do(values ...gorgonia.Value) (_ gorgonia.Value, err error) {
	fwd := o.fwd
	defer guarded(o.name, &err)
	dOut, err := matOf(values[len(values)-1], fwd.out.ext, fwd.out.width)
	if err != nil {
		return nil, fmt.Errorf("gradient of the output: %w", err)
	}
	for i, mem := range o.mems {
		if mem != nil {
			mem.touch()
			o.dIn[i] = mem.mat()
		}
	}
	if err := fwd.f.Backward(fwd.mats, fwd.out.mem.mat(), dOut, o.dIn); err != nil {
		return nil, err
	}
	for _, mem := range o.mems {
		if mem != nil {
			mem.settle()
		}
	}
	return &o.token, nil
}

// pick returns one of the gradients that a backward node filled.
type pick struct {
	identity
	mem *memory
}

func (o *pick) Do(...gorgonia.Value) (gorgonia.Value, error) { return o.mem.value, nil }
