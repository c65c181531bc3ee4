package nn

import (
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// program is what a compiled graph runs: its nodes in the order in which they were
// made, which is one where each follows those that it reads. Gorgonia's own
// machine makes a few objects for every node of every run, and starts a
// goroutine for each run; a program makes nothing unless a stock node does.
type program struct {
	values []gorgonia.Value       // of the nodes, by place
	places map[*gorgonia.Node]int // of the nodes in values
	steps  []step
}

type step struct {
	node *gorgonia.Node
	op   doer
	args []int            // places of what it reads
	in   []gorgonia.Value // room for it
	out  int
}

// doer is what a program needs of a Gorgonia operation.
type doer interface {
	Do(...gorgonia.Value) (gorgonia.Value, error)
}

func newProgram(expr *gorgonia.ExprGraph) (*program, error) {
	nodes := expr.AllNodes()
	t := &program{values: make([]gorgonia.Value, len(nodes)), places: make(map[*gorgonia.Node]int, len(nodes))}
	for i, n := range nodes {
		t.places[n] = i
		if n.Op() == nil { // an input or parameter, which keeps its memory
			if t.values[i] = n.Value(); t.values[i] == nil {
				return nil, fmt.Errorf("leaf %q has no value", n.Name())
			}
			continue
		}
		s := step{node: n, op: n.Op(), out: i}
		children := expr.From(n.ID())
		for children.Next() {
			place, known := t.places[children.Node().(*gorgonia.Node)]
			if !known {
				return nil, fmt.Errorf("node %q was made before what it reads", n.Name())
			}
			s.args = append(s.args, place)
		}
		if sum := t.gradientSum(s); sum != nil {
			s.op = sum
		}
		s.in = make([]gorgonia.Value, len(s.args))
		t.steps = append(t.steps, s)
	}
	return t, nil
}

// run computes all nodes. A panic of a stock operation is an error too.
func (t *program) run() (err error) {
	at := 0
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("graph: %s: panic: %v", t.steps[at].node.Name(), r)
		}
	}()
	for ; at < len(t.steps); at++ {
		s := &t.steps[at]
		for i, place := range s.args {
			s.in[i] = t.values[place]
		}
		if t.values[s.out], err = s.op.Do(s.in...); err != nil {
			return err
		}
	}
	return nil
}

// value is what the last run gave a node, nil before the first.
func (t *program) value(n *gorgonia.Node) gorgonia.Value { return t.values[t.places[n]] }

// sum adds two gradients of a value that several operations read, in memory of
// its own. Gorgonia's addition, which it replaces, makes a new tensor each time.
type sum struct {
	a, b *memory
	out  *memory
}

// gradientSum gives the operation that can stand for an addition of two
// gradients of the same value, both from fused operations or such sums; nil for
// any other step.
func (t *program) gradientSum(s step) doer {
	if len(s.args) != 2 || fmt.Sprint(s.node.Op()) != "+ false" {
		return nil
	}
	var terms [2]*memory
	for i, place := range s.args {
		if terms[i] = t.gradient(place); terms[i] == nil {
			return nil
		}
	}
	a, b := terms[0], terms[1]
	if a.ext != b.ext || a.width != b.width || !a.value.Shape().Eq(b.value.Shape()) {
		return nil
	}
	_, matrix := a.value.(*tensor.Dense)
	return &sum{a: a, b: b, out: newMemory(a.ext, a.width, !matrix, nil)}
}

// gradient is the memory behind a gradient, nil if Gorgonia owns it. Steps are
// laid out in order, so that a sum's terms are known before it.
func (t *program) gradient(place int) *memory {
	for _, s := range t.steps {
		if s.out != place {
			continue
		}
		switch op := s.op.(type) {
		case *pick:
			return op.mem
		case *sum:
			return op.out
		}
	}
	return nil
}

// Do adds the rows of this run.
func (o *sum) Do(...gorgonia.Value) (gorgonia.Value, error) {
	o.out.touch()
	dst := o.out.mat().Data
	copy(dst, o.a.mat().Data)
	Add(dst, o.b.mat().Data)
	o.out.settle()
	return o.out.value, nil
}
