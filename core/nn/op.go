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

// guarded turns a panic of an operation into an error and names the operation in
// every error.
func guarded(name string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("panic: %v", r)
	}
	if *err != nil {
		*err = fmt.Errorf("%s: %w", name, *err)
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
	defer guarded(o.name, &err)
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
