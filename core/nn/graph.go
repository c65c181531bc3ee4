package nn

import (
	"fmt"
	"sync"

	_ "go4.org/unsafe/assume-no-moving-gc" // the newest version: with Gorgonia's own choice no program starts
	"gorgonia.org/gorgonia"
)

// building guards Gorgonia's package-level state (pools and the shared
// constant one), which nodes of all graphs touch while they are made.
var building sync.Mutex

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
	program *program // set when the graph is compiled
	extents []*Extent
	inputs  []*Value
	params  []*param
	nodes   int   // numbers handed out to make nodes unique
	trains  bool  // compiled with a loss
	crew    *Crew // of the run and of operations that are Threaded
	keeps   bool  // see KeepWeights
	err     error // first fault of Extent, Input or Param
}

// NewGraph makes an empty graph, which keeps one core busy.
func NewGraph() *Graph { return NewGraphFor(NewCrew(1)) }

// NewGraphFor makes an empty graph that is run by a crew. The bits of its results
// do not depend on the crew's size.
func NewGraphFor(c *Crew) *Graph { return &Graph{expr: gorgonia.NewGraph(), crew: c} }

// KeepWeights lets operations that are added from now on keep the weights that
// they have packed until the network's version changes. Then whoever writes to its
// Params must call Touch.
func (g *Graph) KeepWeights() { g.keeps = true }

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

// Apply adds an operation. Its shapes are checked now. f must be new: an
// instance has one place in one graph.
func (g *Graph) Apply(f Fused, in ...*Value) (*Value, error) {
	if g.err != nil {
		return nil, g.err
	}
	if g.program != nil {
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
	if t, ok := f.(Threaded); ok {
		t.SetCrew(g.crew)
	}
	if k, ok := f.(keeper); ok && g.keeps && in[1].net != nil {
		k.keepWeights(in[1].net)
	}
	v, err := g.addForward(f, in, outExt, outWidth)
	if err != nil {
		return nil, fmt.Errorf("graph: %s: %w", f.Name(), err)
	}
	return v, nil
}
