package nn

import (
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// param is a segment of a network in a graph, and where its gradient goes.
type param struct {
	net   *Network
	at    Range
	value *Value

	active bool           // the loss depends on it
	direct bool           // its only consumer writes into net.Grads itself
	grad   *gorgonia.Node // otherwise: the node whose value is copied there
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

// leaf makes the node of an input or parameter, whose value has two dimensions.
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
	for _, p := range g.params {
		if p.net == net && p.value.name == seg.Name && p.at == r {
			return p.value
		}
		if p.net == net && p.at.Lo < r.Hi && r.Lo < p.at.Hi {
			g.fail("parameters %q overlap with %q", seg.Name, p.value.name)
		}
	}
	v := g.Frozen(net, seg)
	if v.node != nil {
		v.param, v.learns = &param{net: net, at: r, value: v}, true
		g.params = append(g.params, v.param)
	}
	return v
}

// Frozen adds a segment that no gradient flows into, such as a target network's.
func (g *Graph) Frozen(net *Network, seg Segment) *Value {
	if r := seg.Range(); !net.holds(r) {
		g.fail("segment %q [%d,%d) is not part of a network of %d parameters", seg.Name, r.Lo, r.Hi, len(net.Params))
		return &Value{graph: g, name: seg.Name, width: 1}
	}
	v := g.leaf(seg.Name, newMemory(nil, seg.Len, false, seg.Of(net.Params)))
	v.net = net
	return v
}
