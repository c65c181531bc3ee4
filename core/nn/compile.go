package nn

import (
	"fmt"

	"gorgonia.org/gorgonia"
)

// differentiable returns the nodes that node depends on through operations
// that pass a gradient on, node included.
func differentiable(node *gorgonia.Node) map[*gorgonia.Node]bool {
	reached := map[*gorgonia.Node]bool{}
	var visit func(n *gorgonia.Node)
	visit = func(n *gorgonia.Node) {
		if reached[n] {
			return
		}
		reached[n] = true
		op, ok := n.Op().(gorgonia.SDOp)
		if !ok {
			return
		}
		children := n.Graph().From(n.ID())
		for _, wrt := range op.DiffWRT(children.Len()) {
			if children.Next() && wrt {
				visit(children.Node().(*gorgonia.Node))
			}
		}
	}
	visit(node)
	return reached
}

// Compile fixes the graph and prepares it to run. With a loss, which must be a
// scalar, each run also computes its gradient with respect to every parameter
// in the graph; with nil only the forward pass is run.
func (g *Graph) Compile(loss *Value) (err error) {
	if g.err != nil {
		return g.err
	}
	if g.program != nil {
		return fmt.Errorf("graph: compiled twice")
	}
	building.Lock()
	defer building.Unlock()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("graph: cannot be compiled: %v", r)
		}
	}()
	if loss != nil {
		if err := g.differentiate(loss); err != nil {
			return err
		}
	}
	if len(g.expr.AllNodes()) == 0 {
		return fmt.Errorf("graph: cannot be compiled: it is empty")
	}
	if g.program, err = newProgram(g.expr); err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	return nil
}

func (g *Graph) differentiate(loss *Value) error {
	if loss.graph != g || !loss.node.IsScalar() {
		return fmt.Errorf("graph: the loss %q must be a scalar of this graph", loss.name)
	}
	reached := differentiable(loss.node)
	var wrt gorgonia.Nodes
	var active []*param
	for _, p := range g.params {
		if p.active = reached[p.value.node]; !p.active {
			continue
		}
		p.direct = g.soleConsumer(p.value.node)
		wrt, active = append(wrt, p.value.node), append(active, p)
	}
	if len(wrt) == 0 {
		return fmt.Errorf("graph: no parameter has an influence on the loss %q", loss.name)
	}
	grads, err := gorgonia.Grad(loss.node, wrt...)
	if err != nil {
		return fmt.Errorf("graph: cannot differentiate %q: %w", loss.name, err)
	}
	g.trains = true
	for i, p := range active {
		if !p.direct {
			p.grad = grads[i]
		}
	}
	return nil
}

// soleConsumer tells whether exactly one fused operation reads the leaf, once.
func (g *Graph) soleConsumer(leaf *gorgonia.Node) bool {
	parents := g.expr.To(leaf.ID())
	if parents.Len() != 1 || !parents.Next() {
		return false
	}
	op, ok := parents.Node().(*gorgonia.Node).Op().(*forward)
	if !ok {
		return false
	}
	uses := 0
	for _, v := range op.in {
		if v.node == leaf {
			uses++
		}
	}
	return uses == 1
}
