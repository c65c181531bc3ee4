package nn

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// The adapter between a Fused and Gorgonia. An operation becomes a forward
// node; differentiating it adds one backward node, which fills the gradients of
// all inputs at once, and one pick node for each of them, since a Gorgonia
// operation has a single result. All of them own their results' memory.

// identity is what Gorgonia asks of every operation. The number makes the
// operation unlike all others of its graph.
type identity struct {
	id   int
	name string
	args []hm.Type
	out  hm.Type
	dims tensor.Shape
}

func (o *identity) Arity() int { return len(o.args) }

// Type returns a new function type on every call; Gorgonia recycles it.
func (o *identity) Type() hm.Type {
	ts := append(append(make([]hm.Type, 0, len(o.args)+1), o.args...), o.out)
	return hm.NewFnType(ts...)
}

func (o *identity) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) {
	return o.dims.Clone(), nil
}
func (o *identity) ReturnsPtr() bool     { return true }
func (o *identity) CallsExtern() bool    { return false }
func (o *identity) OverwritesInput() int { return -1 }
func (o *identity) String() string       { return fmt.Sprintf("%s#%d", o.name, o.id) }

func (o *identity) WriteHash(h hash.Hash) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(o.id))
	h.Write([]byte(o.name))
	h.Write(b[:])
}

func (o *identity) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// guarded turns a panic of an operation into an error: the machine runs it in a
// goroutine of its own, where a panic would end the process. The first fault is
// kept as it is, before Gorgonia wraps it.
func (g *Graph) guarded(name string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("panic: %v", r)
	}
	if *err != nil {
		*err = fmt.Errorf("%s: %w", name, *err)
		if g.fault == nil {
			g.fault = *err
		}
	}
}

var (
	matrixType hm.Type = gorgonia.TensorType{Dims: 2, Of: tensor.Float32}
	scalarType hm.Type = tensor.Float32
)

func typeOf(n *gorgonia.Node) hm.Type {
	if n.IsScalar() {
		return scalarType
	}
	return matrixType
}

// forward is the node of a Fused.
type forward struct {
	identity
	g     *Graph
	f     Fused
	in    []*Value
	out   *Value
	grads bool  // gradients are wanted
	mats  []Mat // of the inputs in this run
}

// addForward makes the node and value of f; the shapes have been checked.
func (g *Graph) addForward(f Fused, in []*Value, ext *Extent, width int) (*Value, error) {
	building.Lock()
	defer building.Unlock()
	scalar := ext == nil && width == 1
	op := &forward{g: g, f: f, in: in, mats: make([]Mat, len(in))}
	op.identity = identity{id: g.unique(), name: f.Name(), out: matrixType}
	if scalar {
		op.identity.out = scalarType
	}
	mem := newMemory(ext, width, scalar, nil)
	op.dims = mem.value.Shape().Clone()
	nodes := make(gorgonia.Nodes, len(in))
	for i, v := range in {
		nodes[i] = v.node
		op.args = append(op.args, typeOf(v.node))
		op.grads = op.grads || op.flows(i)
	}
	op.out = &Value{graph: g, name: op.String(), ext: ext, width: width, mem: mem, learns: op.grads}
	var err error
	op.out.node, err = gorgonia.ApplyOp(op, nodes...)
	return op.out, err
}

// flows tells whether a gradient flows into input i.
func (o *forward) flows(i int) bool { return o.in[i].learns && o.f.NeedsGrad(i) }

// DiffWRT tells Gorgonia the same.
func (o *forward) DiffWRT(inputs int) []bool {
	wrt := make([]bool, inputs)
	for i := range wrt {
		wrt[i] = o.flows(i)
	}
	return wrt
}

// Do computes the operation.
func (o *forward) Do(values ...gorgonia.Value) (_ gorgonia.Value, err error) {
	defer o.g.guarded(o.name, &err)
	if err := o.read(values); err != nil {
		return nil, err
	}
	mem := o.out.mem
	mem.touch()
	if err := o.f.Forward(o.mats, mem.mat()); err != nil {
		return nil, err
	}
	mem.settle()
	return mem.value, nil
}

// read sets mats to the inputs of this run.
func (o *forward) read(values []gorgonia.Value) (err error) {
	for i, v := range o.in {
		if v.mem != nil {
			o.mats[i] = v.mem.mat()
		} else if o.mats[i], err = matOf(values[i], v.ext, v.width); err != nil {
			return fmt.Errorf("input %d (%s): %w", i, v.name, err)
		}
	}
	return nil
}

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
	defer fwd.g.guarded(o.name, &err)
	dOut, err := matOf(values[len(values)-1], fwd.out.ext, fwd.out.width)
	if err != nil {
		return nil, fmt.Errorf("gradient of the output: %w", err)
	}
	for i, mem := range o.mems {
		if mem != nil {
			mem.touch()
			if fwd.in[i].exposed() {
				mem.dirty = len(mem.data) / mem.width // stock sums may reuse all of it
			}
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

// keep reads its arguments and does nothing: they stay as they are until then.
type keep struct {
	identity
	token gorgonia.F32
}

func newKeep(id, args int) *keep {
	k := &keep{identity: identity{id: id, name: "keep", out: scalarType, dims: tensor.ScalarShape()}}
	for range args {
		k.args = append(k.args, matrixType)
	}
	return k
}

func (o *keep) Do(...gorgonia.Value) (gorgonia.Value, error) { return &o.token, nil }
