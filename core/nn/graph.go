package nn

import (
	"fmt"
	"sync"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"macpro/core/nn/internal/kernel"
)

// Node and ExprGraph are Gorgonia's, named here so that stock nodes can be
// mixed in without another import.
type (
	Node      = gorgonia.Node
	ExprGraph = gorgonia.ExprGraph
)

// building guards Gorgonia's package-level state (pools and the shared
// constant one), which nodes of all graphs touch while they are made.
var building sync.Mutex

func init() { gorgonia.Use(kernel.BLAS{}) }

// Graph is a computation that is described once, compiled and then run any
// number of times on changing data and row counts. It is built and run by one
// goroutine at a time; different graphs are independent.
//
//	g := nn.NewGraph()
//	rows := g.Extent(capacity)
//	x := g.Input("x", rows, 17)
//	h, err := g.Apply(mlp.Op(), x, g.Param(net, mlp.Segment))
//	...
//	err = g.Compile(loss)
//	for ... {
//		rows.N = n
//		copy(x.Data(), observations)
//		err = g.Run() // gradients are now in net.Grads
//	}
type Graph struct {
	expr    *gorgonia.ExprGraph
	machine gorgonia.VM
	extents []*Extent
	inputs  []*Value
	params  []*param
	results []*Value
	nodes   int   // numbers handed out to make nodes unique
	err     error // first fault of Extent, Input or Param
	fault   error // what an operation reported during a run
}

// NewGraph makes an empty graph.
func NewGraph() *Graph { return &Graph{expr: gorgonia.NewGraph()} }

// Expr is the Gorgonia graph, for stock leaf nodes.
func (g *Graph) Expr() *ExprGraph { return g.expr }

// fail keeps the first fault of a call that returns no error; Apply and
// Compile report it.
func (g *Graph) fail(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf("graph: "+format, args...)
	}
}

// unique numbers the graph's nodes; Gorgonia merges nodes that look alike.
func (g *Graph) unique() int {
	g.nodes++
	return g.nodes
}

// Extent makes a row count with room for capacity rows; all are in use at
// first.
func (g *Graph) Extent(capacity int) *Extent {
	if capacity < 1 {
		g.fail("an extent has room for %d rows, want at least 1", capacity)
		capacity = 1
	}
	e := &Extent{Cap: capacity, N: capacity}
	g.extents = append(g.extents, e)
	return e
}

// Input adds a matrix that the caller fills before each run. No gradient flows
// into it.
func (g *Graph) Input(name string, ext *Extent, width int) *Value {
	if ext == nil || width < 1 {
		g.fail("input %q needs an extent and a width of at least 1, got width %d", name, width)
		ext, width = g.Extent(1), 1
	}
	v := g.leaf(name, newMemory(ext, width, false, nil))
	g.inputs = append(g.inputs, v)
	return v
}

// leaf makes the node of an input or parameter.
func (g *Graph) leaf(name string, mem *memory) *Value {
	building.Lock()
	defer building.Unlock()
	v := &Value{graph: g, name: name, ext: mem.ext, width: mem.width, mem: mem}
	v.node = gorgonia.NewMatrix(g.expr, tensor.Float32,
		gorgonia.WithName(fmt.Sprintf("%s#%d", name, g.unique())),
		gorgonia.WithShape(mem.value.Shape()...),
		gorgonia.WithValue(mem.value))
	return v
}

// Param adds a segment of a network as a single row. After each run the
// network's Grads hold the gradient of the loss with respect to it. Asking for
// the same segment again gives the same value.
func (g *Graph) Param(net *Network, seg Segment) *Value {
	r := seg.Range()
	if r.Lo < 0 || r.Hi > len(net.Params) || seg.Len < 1 {
		g.fail("segment %q [%d,%d) is not part of a network of %d parameters", seg.Name, r.Lo, r.Hi, len(net.Params))
		r = net.All()
	}
	for _, p := range g.params {
		if p.net == net && p.at == r {
			return p.value
		}
		if p.net == net && p.at.Lo < r.Hi && r.Lo < p.at.Hi {
			g.fail("segment %q overlaps with segment %q", seg.Name, p.value.name)
		}
	}
	v := g.leaf(seg.Name, newMemory(nil, r.Len(), false, r.Of(net.Params)))
	v.param = &param{net: net, at: r, value: v}
	v.learns = true
	g.params = append(g.params, v.param)
	return v
}

// Wrap makes a value of a stock node so that fused operations can use it: a
// scalar (ext nil), a single row [1,width] (ext nil) or rows [Cap,width].
func (g *Graph) Wrap(name string, node *Node, ext *Extent) (*Value, error) {
	if node == nil || node.Graph() != g.expr {
		return nil, fmt.Errorf("graph: node %q belongs to another graph", name)
	}
	v := &Value{graph: g, name: name, ext: ext, width: 1, node: node, exposed: true}
	rows := 1
	if ext != nil {
		rows = ext.Cap
	}
	if shape := node.Shape(); !node.IsScalar() {
		if shape.Dims() != 2 || shape[0] != rows {
			return nil, fmt.Errorf("graph: node %q has shape %v, want [%d, width]", name, shape, rows)
		}
		v.width = shape[1]
	} else if ext != nil {
		return nil, fmt.Errorf("graph: node %q is a scalar, want shape [%d, width]", name, rows)
	}
	reached := differentiable(node)
	for _, p := range g.params {
		v.learns = v.learns || reached[p.value.node]
	}
	return v, nil
}

// Apply adds an operation. Its shapes are checked now. f must be new: an
// instance has one place in one graph.
func (g *Graph) Apply(f Fused, in ...*Value) (*Value, error) {
	if g.err != nil {
		return nil, g.err
	}
	if g.machine != nil {
		return nil, fmt.Errorf("graph: %s was added after the graph was compiled", f.Name())
	}
	ext, widths := make([]*Extent, len(in)), make([]int, len(in))
	for i, v := range in {
		if v == nil || v.graph != g {
			return nil, fmt.Errorf("graph: input %d of %s is nil or belongs to another graph", i, f.Name())
		}
		ext[i], widths[i] = v.ext, v.width
	}
	outExt, outWidth, err := f.Out(ext, widths)
	if err != nil {
		return nil, fmt.Errorf("graph: %s: %w", f.Name(), err)
	}
	if outWidth < 1 {
		return nil, fmt.Errorf("graph: %s: output of width %d, want at least 1", f.Name(), outWidth)
	}
	v, err := g.addForward(f, in, outExt, outWidth)
	if err != nil {
		return nil, fmt.Errorf("graph: %s: %w", f.Name(), err)
	}
	g.results = append(g.results, v)
	return v, nil
}
