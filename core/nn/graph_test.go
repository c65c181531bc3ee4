package nn

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// agent is the graph of a small recurrent agent with a loss, as a learner would
// build it.
type agent struct {
	net    *Network
	g      *Graph
	rows   *Extent
	x, c   *Value
	h, q   *Value
	loss   *Value
	steps  Steps
	mlp    MLP
	gru    GRU
	head   MLP
	agents int
}

func newAgent(t testing.TB, capacity, in, mlp, hidden, actions, agents int) *agent {
	var l Layout
	a := &agent{agents: agents, g: NewGraph()}
	a.mlp = l.MLP("mlp", []int{in, mlp, mlp, mlp, mlp, hidden}, ActReLU)
	a.gru = l.GRU("gru", hidden, hidden)
	a.head = l.Linear("head", hidden, actions, ActNone)
	a.net = network(t, &l)
	a.rows = a.g.Extent(capacity)
	a.x, a.c = a.g.Input("x", a.rows, in), a.g.Input("c", a.rows, actions)
	f := apply(t, a.g, a.mlp.Op(), a.x, a.g.Param(a.net, a.mlp.Segment))
	a.h = apply(t, a.g, a.gru.Op(&a.steps), f, a.g.Param(a.net, a.gru.Segment))
	a.q = apply(t, a.g, a.head.Op(), a.h, a.g.Param(a.net, a.head.Segment))
	a.loss = apply(t, a.g, dotLoss{}, a.q, a.c)
	compile(t, a.g, a.loss)
	return a
}

// feed sets the batch to the given lengths; its numbers depend only on them.
func (a *agent) feed(t testing.TB, alive ...int) {
	t.Helper()
	if err := a.steps.Set(a.agents, alive); err != nil {
		t.Fatal(err)
	}
	a.rows.N = a.steps.Rows()
	copy(a.x.Data(), normals(len(a.x.Data()), "x"))
	copy(a.c.Data(), normals(len(a.c.Data()), "c"))
}

// outcome is everything a run computes.
func (a *agent) outcome(t testing.TB) []float32 {
	t.Helper()
	run(t, a.g)
	out := append([]float32(nil), a.loss.Data()...)
	out = append(out, a.h.Data()...)
	out = append(out, a.q.Data()...)
	return append(out, a.net.Grads...)
}

// One compiled graph must give for every batch the bits that a graph made for
// just this batch gives, whatever ran before; and again when run again.
func TestRunsAreIndependent(t *testing.T) {
	batches := [][]int{{4, 4, 2}, {1}, {4, 4, 4, 4, 4}, {3, 1, 1}, {1, 1}, {2}}
	big := newAgent(t, 40, 5, 9, 6, 3, 2)
	for _, b := range batches {
		fresh := newAgent(t, 2*total(b), 5, 9, 6, 3, 2)
		fresh.feed(t, b...)
		want := fresh.outcome(t)
		big.feed(t, b...)
		sameBits(t, "first run", big.outcome(t), want)
		sameBits(t, "second run", big.outcome(t), want)
	}
}

func total(alive []int) int {
	n := 0
	for _, a := range alive {
		n += a
	}
	return n
}

// NaN in all rows of a long run must leave no trace in a shorter one.
func TestRowsBeyondTheExtentDoNotLeak(t *testing.T) {
	a := newAgent(t, 40, 5, 9, 6, 3, 2)
	a.feed(t, 3, 2)
	want := a.outcome(t)
	a.feed(t, 4, 4, 4, 4, 4)
	for i := range a.x.Data() {
		a.x.Data()[i] = float32(math.NaN())
	}
	run(t, a.g)
	if !math.IsNaN(float64(a.loss.Data()[0])) {
		t.Fatal("the poisoned run was not poisoned")
	}
	a.feed(t, 3, 2)
	sameBits(t, "after the poisoned run", a.outcome(t), want)
	for name, v := range map[string]*Value{"x": a.x, "h": a.h, "q": a.q} {
		for i, f := range v.mem.data[a.rows.N*v.width:] {
			if f != 0 {
				t.Fatalf("%s: %v in float %d beyond the extent", name, f, i)
			}
		}
	}
}

// Episodes of unlike lengths must give what the padded computation gives with
// a loss that ignores the padding.
func TestPaddingIndependence(t *testing.T) {
	const agents, episodes, T = 2, 3, 4
	alive := []int{3, 3, 2, 1}
	a, b := newAgent(t, 24, 5, 9, 6, 3, agents), newAgent(t, 24, 5, 9, 6, 3, agents)
	a.feed(t, alive...)
	b.feed(t, 3, 3, 3, 3)
	for s := range T {
		for r := range episodes * agents {
			at := s*episodes*agents + r
			x, c := b.x.Data()[at*5:(at+1)*5], b.c.Data()[at*3:(at+1)*3]
			if from := a.steps.Offset[s] + r; r < alive[s]*agents {
				copy(x, a.x.Data()[from*5:])
				copy(c, a.c.Data()[from*3:])
			} else {
				copy(x, normals(5, "padding"))
				clear(c)
			}
		}
	}
	run(t, a.g)
	run(t, b.g)
	near(t, "loss", a.loss.Data(), wide(b.loss.Data()), 1e-6)
	near(t, "gradients", a.net.Grads, wide(b.net.Grads), 1e-5)
}

// fails is an operation that goes wrong on demand.
type fails struct {
	mode *string
}

var errBad = errors.New("bad number")

func (fails) Name() string                                   { return "brittle" }
func (fails) NeedsGrad(int) bool                             { return true }
func (fails) Out(e []*Extent, w []int) (*Extent, int, error) { return e[0], w[0], nil }
func (fails) Backward(_ []Mat, _, dOut Mat, dIn []Mat) error {
	copy(dIn[0].Data, dOut.Data)
	return nil
}
func (f fails) Forward(in []Mat, out Mat) error {
	switch *f.mode {
	case "error":
		return errBad
	case "panic":
		_ = in[0].Data[len(in[0].Data)]
	}
	copy(out.Data, in[0].Data)
	return nil
}

func TestFaultsAreErrors(t *testing.T) {
	var l Layout
	m := l.Linear("m", 2, 3, ActNone)
	net := network(t, &l)
	g := NewGraph()
	rows := g.Extent(4)
	x, c := g.Input("x", rows, 2), g.Input("c", rows, 3)
	mode := "error"
	y := apply(t, g, fails{&mode}, apply(t, g, m.Op(), x, g.Param(net, m.Segment)))
	compile(t, g, apply(t, g, dotLoss{}, y, c))
	if err := g.Run(); !errors.Is(err, errBad) || !strings.Contains(err.Error(), "brittle") {
		t.Fatalf("got %v, want the operation's error with its name", err)
	}
	mode = "panic"
	if err := g.Run(); err == nil || !strings.Contains(err.Error(), "out of range") {
		t.Fatalf("got %v, want the panic as an error", err)
	}
	mode = ""
	run(t, g)
	rows.N = 5
	if err := g.Run(); err == nil || !strings.Contains(err.Error(), "room for 4") {
		t.Fatalf("got %v for 5 rows of 4", err)
	}
}

func TestBuildErrors(t *testing.T) {
	var l Layout
	m := l.MLP("m", []int{4, 3}, ActNone)
	gru := l.GRU("g", 3, 2)
	net := network(t, &l)
	tests := map[string]struct {
		build func(g *Graph) error
		want  string
	}{
		"width": {func(g *Graph) error {
			_, err := g.Apply(m.Op(), g.Input("x", g.Extent(2), 5), g.Param(net, m.Segment))
			return err
		}, "rows have width 5, the module reads 4"},
		"segment": {func(g *Graph) error {
			_, err := g.Apply(gru.Op(&Steps{}), g.Input("x", g.Extent(2), 3), g.Param(net, m.Segment))
			return err
		}, "the module's segment has 42"},
		"arguments": {func(g *Graph) error {
			_, err := g.Apply(m.Op(), g.Input("x", g.Extent(2), 4))
			return err
		}, "1 inputs, want rows and a segment"},
		"other graph": {func(g *Graph) error {
			_, err := g.Apply(m.Op(), NewGraph().Input("x", g.Extent(2), 4), g.Param(net, m.Segment))
			return err
		}, "another graph"},
		"extent": {func(g *Graph) error {
			g.Extent(0)
			return g.Compile(nil)
		}, "room for 0 rows"},
		"overlap": {func(g *Graph) error {
			g.Param(net, m.Segment)
			part := m.Segment
			part.Name, part.Len = "part", 3
			g.Param(net, part)
			return g.Compile(nil)
		}, "overlap"},
		"no scalar": {func(g *Graph) error {
			return g.Compile(g.Param(net, m.Segment))
		}, "must be a scalar"},
		"no parameter": {func(g *Graph) error {
			rows := g.Extent(2)
			loss, err := g.Apply(dotLoss{}, g.Input("x", rows, 1), g.Input("c", rows, 1))
			if err != nil {
				return err
			}
			return g.Compile(loss)
		}, "no parameter has an influence"},
		"empty": {func(g *Graph) error { return g.Compile(nil) }, "cannot be compiled"},
		"early": {func(g *Graph) error { return g.Run() }, "before it was compiled"},
	}
	for name, c := range tests {
		if err := c.build(NewGraph()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
