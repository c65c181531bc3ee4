package nn

import "fmt"

// Run computes all values and, if the graph has a loss, writes the gradients
// of its parameters. An operation's fault is returned as an error; the graph
// can be run again after it.
func (g *Graph) Run() error {
	if g.program == nil {
		return fmt.Errorf("graph: run before it was compiled")
	}
	for _, e := range g.extents {
		if e.N < 0 || e.N > e.Cap {
			return fmt.Errorf("graph: %d rows in an extent with room for %d", e.N, e.Cap)
		}
	}
	for _, v := range g.inputs {
		v.mem.settle()
	}
	g.crew.enter()
	defer g.crew.leave()
	if err := g.program.run(); err != nil {
		return err
	}
	return g.collect()
}

// collect brings the gradients that are not written in place to their network.
func (g *Graph) collect() error {
	for _, p := range g.params {
		switch dst := p.at.Of(p.net.Grads); {
		case p.grad != nil:
			m, err := matOf(g.program.value(p.grad), nil, p.at.Len())
			if err != nil {
				return fmt.Errorf("graph: gradient of %q: %w", p.value.name, err)
			}
			copy(dst, m.Data)
		case g.trains && !p.active:
			clear(dst)
		}
	}
	return nil
}
