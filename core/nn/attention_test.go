package nn

import (
	"math"
	"slices"
	"testing"
)

// refLayer applies a weight [out,in] and bias to one row in float64.
func refLayer(w, b []float32, x []float64) []float64 {
	y := make([]float64, len(b))
	for o := range y {
		y[o] = float64(b[o])
		for i, v := range x {
			y[o] += float64(w[o*len(x)+i]) * v
		}
	}
	return y
}

func refSoftmax(x []float64) []float64 {
	y, sum := make([]float64, len(x)), 0.0
	for i, v := range x {
		y[i] = math.Exp(v - slices.Max(x))
		sum += y[i]
	}
	for i := range y {
		y[i] /= sum
	}
	return y
}

func refDot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// refAttention computes one row with keys and values of every item.
func refAttention(m Attention, seg []float32, own []float64, items [][]float64) []float64 {
	of := func(i int) []float32 { return m.of(seg, i) }
	q := refLayer(of(atQuery), of(atQueryBias), own)
	out := refLayer(of(atOwn), of(atOwnBias), own)
	for s, set := range m.Sets {
		var scores []float64
		var values [][]float64
		for x := range slices.Chunk(items[s], set.Width) {
			if set.Seen > 0 && !slices.ContainsFunc(x[:set.Seen], func(v float64) bool { return v != 0 }) {
				continue
			}
			at := atSets + 4*s
			scores = append(scores, refDot(q, refLayer(of(at), of(at+1), x))/math.Sqrt(float64(m.Key)))
			values = append(values, refLayer(of(at+2), of(at+3), x))
		}
		f := make([]float64, m.Out)
		if len(values) == 0 {
			f = wide(of(atSets + 4*s + 3))
		}
		for j, a := range refSoftmax(append(scores, math.Inf(-1)))[:len(values)] {
			for i, v := range values[j] {
				f[i] += a * v
			}
		}
		out = append(out, f...)
	}
	return out
}

// layered runs an operation on rows and segments of a network in a graph with
// the loss sum(c*y), and gives its output and c.
type layered struct {
	net    *Network
	g      *Graph
	ext    *Extent
	in     []*Value
	c, out *Value
}

// newLayered gives the operation inputs of the widths and then the segments.
func newLayered(t testing.TB, l *Layout, op Fused, rows int, widths []int, segs ...Segment) *layered {
	k := &layered{net: network(t, l), g: NewGraph()}
	k.ext = k.g.Extent(rows)
	for i, w := range widths {
		k.in = append(k.in, k.g.Input("x", k.ext, w))
		copy(k.in[i].Data(), normals(rows*w, string(rune('a'+i))))
	}
	in := slices.Clone(k.in)
	for _, s := range segs {
		in = append(in, k.g.Param(k.net, s))
	}
	k.out = apply(t, k.g, op, in...)
	k.c = k.g.Input("c", k.ext, k.out.Width())
	copy(k.c.Data(), normals(rows*k.out.Width(), "weights"))
	compile(t, k.g, apply(t, k.g, dotLoss{}, k.out, k.c))
	return k
}

// row is row r of input i.
func (k *layered) row(i, r int) []float64 {
	w := k.in[i].Width()
	return wide(k.in[i].Data()[r*w : (r+1)*w])
}

// loss is the loss of the reference ref, which computes one row.
func (k *layered) loss(ref func(r int) []float64) float64 {
	sum := 0.0
	for r := range k.ext.N {
		sum += refDot(ref(r), wide(k.c.Data()[r*k.c.Width():(r+1)*k.c.Width()]))
	}
	return sum
}

// check runs the graph and compares the output with the reference, and the
// gradient of every parameter with the reference's central difference.
func (k *layered) check(t *testing.T, ref func(r int) []float64) {
	t.Helper()
	run(t, k.g)
	var want []float64
	for r := range k.ext.N {
		want = append(want, ref(r)...)
	}
	near(t, "output", k.out.Data(), want, 1e-5)
	grads := make([]float64, len(k.net.Params))
	const step = 1e-5 // short, so that hardly any ReLU turns between
	for i, p := range k.net.Params {
		high, low := p+step, p-step
		k.net.Params[i] = high
		up := k.loss(ref)
		k.net.Params[i] = low
		grads[i] = (up - k.loss(ref)) / (float64(high) - float64(low))
		k.net.Params[i] = p
	}
	near(t, "gradient", k.net.Grads, grads, 2e-4)
}

func TestAttention(t *testing.T) {
	for _, c := range []struct{ allies, enemies, seen int }{{1, 1, 0}, {3, 5, 0}, {12, 13, 0}, {3, 5, 2}} {
		var l Layout
		m := l.Attention("look", 7, 4, 6, Set{"ally", 3, c.seen}, Set{"enemy", 5, c.seen})
		k := newLayered(t, &l, m.Op(), 9, []int{7, 3 * c.allies, 5 * c.enemies}, m.Segment)
		if c.seen > 0 { // gaps, and a row that sees no enemy at all
			clear(k.in[1].Data()[3*c.allies*2 : 3*c.allies*2+2])
			clear(k.in[2].Data()[:5*c.enemies])
			k.in[2].Data()[4] = 1
		}
		k.check(t, func(r int) []float64 {
			return refAttention(m, k.net.Params, k.row(0, r), [][]float64{k.row(1, r), k.row(2, r)})
		})
		look, out := NewLook(k.net, m), make([]float32, len(k.out.Data()))
		items := [][]float32{k.in[1].Data(), k.in[2].Data()}
		if err := look.Apply(9, k.in[0].Data(), items, out); err != nil {
			t.Fatal(err)
		}
		sameBits(t, "without a graph", out, k.out.Data())
		if err := look.Apply(9, k.in[0].Data(), [][]float32{items[0], items[1][1:]}, out); err == nil {
			t.Error("took half an item")
		}
		if n := testing.AllocsPerRun(20, func() { _ = look.Apply(9, k.in[0].Data(), items, out) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

// refMLPRow applies a stack to one row.
func refMLPRow(m MLP, seg []float32, x []float64) []float64 {
	for i := range m.layers() {
		x = refLayer(m.weight(seg, i), m.bias(seg, i), x)
		for j := range x {
			x[j] = refAct(i+1, m.layers()+1, m.Last, x[j])
		}
	}
	return x
}

func TestPairs(t *testing.T) {
	for _, c := range []struct {
		n     int
		embed []int
		join  []int
		last  Act
		rare  bool
	}{
		{1, []int{5, 6}, []int{10, 3}, ActNone, false}, {13, []int{5, 6, 7}, []int{11, 8, 5, 1}, ActNone, true},
		{3, []int{4, 6}, []int{9, 4}, ActAbs, false}, {4, []int{4, 6, 6, 6}, []int{10, 5, 2}, ActAbs, true},
	} {
		var l Layout
		m := Pairs{Embed: l.MLP("embed", c.embed, ActNone), Join: l.MLP("join", c.join, c.last)}
		const rows = 25
		k := newLayered(t, &l, m.Op(nil), rows, []int{c.n * c.embed[0], m.Context()}, m.Embed.Segment, m.Join.Segment)
		if c.rare { // most pairs have no gradient
			for i := range k.c.Data() {
				if i%7 != 0 {
					k.c.Data()[i] = 0
				}
			}
		}
		k.check(t, func(r int) (y []float64) {
			for x := range slices.Chunk(k.row(0, r), c.embed[0]) {
				both := append(refMLPRow(m.Embed, m.Embed.Of(k.net.Params), x), k.row(1, r)...)
				y = append(y, refMLPRow(m.Join, m.Join.Of(k.net.Params), both)...)
			}
			return y
		})
		checkAnswer(t, k, m, rows, c.n)
	}
}

// Of the wanted pairs answers and gradients have the bits of an operation that
// computes all; the answers of the others are 0, whatever an earlier run left there.
func TestWantedPairs(t *testing.T) {
	const rows, n, out = 70, 4, 2 // 280 pairs, some blocks of them
	for _, last := range []Act{ActNone, ActAbs} {
		var l Layout
		m := Pairs{Embed: l.MLP("embed", []int{4, 6, 6}, ActNone), Join: l.MLP("join", []int{10, 5, out}, last)}
		wanted := make([]uint8, rows*n)
		made := func(of []uint8) *layered {
			return newLayered(t, &l, m.Op(of), rows, []int{n * 4, m.Context()}, m.Embed.Segment, m.Join.Segment)
		}
		all, some := made(nil), made(wanted)
		for _, every := range []int{1, 3, 1000} {
			for p := range wanted {
				wanted[p] = 0
				if p%every == every-1 {
					wanted[p] = 1
					continue
				}
				clear(all.c.Data()[p*out : (p+1)*out])
				clear(some.c.Data()[p*out : (p+1)*out])
			}
			run(t, all.g)
			run(t, some.g)
			want := slices.Clone(all.out.Data())
			for p, is := range wanted {
				if is == 0 {
					clear(want[p*out : (p+1)*out])
				}
			}
			sameBits(t, "answers", some.out.Data(), want)
			sameBits(t, "gradient", some.net.Grads, all.net.Grads)
		}
	}
}

// checkAnswer compares acting with the graph.
func checkAnswer(t *testing.T, k *layered, m Pairs, rows, n int) {
	e, y := make([]float32, rows*n*m.Embed.Out()), make([]float32, len(k.out.Data()))
	if err := NewDense(k.net, m.Embed).Apply(rows*n, k.in[0].Data(), e); err != nil {
		t.Fatal(err)
	}
	live, err := NewAnswer(k.net, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := live.Apply(rows, n, e, k.in[1].Data(), y); err != nil {
		t.Fatal(err)
	}
	sameBits(t, "without a graph", y, k.out.Data())
	saved, err := NewAnswer(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	if saved.Apply(rows, n, e, k.in[1].Data(), y) == nil {
		t.Error("applied without parameters")
	}
	if saved.Load(k.net.Params) == nil {
		t.Error("loaded a segment of another size")
	}
	if err := saved.Load(m.Join.Of(k.net.Params)); err != nil {
		t.Fatal(err)
	}
	clear(y)
	if n := testing.AllocsPerRun(5, func() { _ = saved.Apply(rows, n, e, k.in[1].Data(), y) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	sameBits(t, "loaded", y, k.out.Data())
}

// refSummary computes one row; kinds holds its entities by kind.
func refSummary(m Summary, params []float32, kinds [][]float64) []float64 {
	var v, q, key [][]float64
	for s, k := range m.Kinds {
		for x := range slices.Chunk(kinds[s], k.Width) {
			e := refMLPRow(m.Encoders[s], m.Encoders[s].Of(params), x)
			v = append(v, e)
			q = append(q, refMLPRow(m.Query, m.Query.Of(params), e))
			key = append(key, refMLPRow(m.Key, m.Key.Of(params), e))
		}
	}
	mean := make([]float64, m.Out())
	for b := range v {
		var scores []float64
		for a := range v {
			scores = append(scores, refDot(q[a], key[b]))
		}
		for a, w := range refSoftmax(scores) {
			for i, x := range v[a] {
				mean[i] += w * x / float64(len(v))
			}
		}
	}
	return mean
}

func TestSummary(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {2, 5}, {13, 4}} {
		var l Layout
		m := l.Summary("sum", 4, 6, Set{Name: "ally", Width: 5}, Set{Name: "enemy", Width: 3})
		k := newLayered(t, &l, m.Op(), 7, []int{5 * c[0], 3 * c[1]}, m.Segments()...)
		k.check(t, func(r int) []float64 {
			return refSummary(m, k.net.Params, [][]float64{k.row(0, r), k.row(1, r)})
		})
	}
}

func TestBeside(t *testing.T) {
	var l Layout
	a, b := l.Linear("a", 3, 2, ActNone), l.Linear("b", 3, 4, ActReLU)
	net, g := network(t, &l), NewGraph()
	ext := g.Extent(5)
	x, y := g.Input("x", ext, 3), g.Input("y", ext, 1)
	copy(x.Data(), normals(15, "x"))
	copy(y.Data(), normals(5, "y"))
	left, right := apply(t, g, a.Op(), x, g.Param(net, a.Segment)), apply(t, g, b.Op(), x, g.Param(net, b.Segment))
	out := apply(t, g, Beside(), left, y, right)
	c := g.Input("c", ext, 7)
	copy(c.Data(), normals(35, "c"))
	compile(t, g, apply(t, g, dotLoss{}, out, c))
	run(t, g)
	want := make([]float64, len(net.Params))
	for r := range 5 {
		sameBits(t, "row", out.Data()[r*7:(r+1)*7], slices.Concat(left.Data()[r*2:(r+1)*2], y.Data()[r:r+1], right.Data()[r*4:(r+1)*4]))
		in, dy := wide(x.Data()[r*3:(r+1)*3]), wide(c.Data()[r*7:(r+1)*7])
		refMLP(a.Widths, a.Last, a.Of(net.Params), in, dy[:2], want[a.Offset:a.Offset+a.Len])
		refMLP(b.Widths, b.Last, b.Of(net.Params), in, dy[3:], want[b.Offset:])
	}
	near(t, "gradient", net.Grads, want, 1e-5)
}

// Inputs that do not fit are refused in words.
func TestItemsRefuse(t *testing.T) {
	var l Layout
	m := l.Attention("look", 7, 4, 6, Set{Name: "ally", Width: 3})
	p := Pairs{Embed: l.Linear("embed", 3, 5, ActNone), Join: l.Linear("join", 9, 2, ActNone)}
	net, g := network(t, &l), NewGraph()
	ext := g.Extent(4)
	x := func(w int) *Value { return g.Input("x", ext, w) }
	for name, in := range map[string]struct {
		op Fused
		in []*Value
	}{
		"own features":    {m.Op(), []*Value{x(6), x(3), g.Param(net, m.Segment)}},
		"half an item":    {m.Op(), []*Value{x(7), x(4), g.Param(net, m.Segment)}},
		"other segment":   {m.Op(), []*Value{x(7), x(3), g.Param(net, p.Join.Segment)}},
		"context":         {p.Op(nil), []*Value{x(3), x(5), g.Param(net, p.Embed.Segment), g.Param(net, p.Join.Segment)}},
		"without context": {Pairs{Embed: p.Embed, Join: p.Embed}.Op(nil), []*Value{x(3), x(4), g.Param(net, p.Embed.Segment), g.Param(net, p.Embed.Segment)}},
		"unlike rows":     {Beside(), []*Value{x(3), g.Input("y", g.Extent(4), 1)}},
	} {
		if _, err := g.Apply(in.op, in.in...); err == nil {
			t.Errorf("%s: applied", name)
		}
	}
	if _, err := NewAnswer(net, Pairs{Embed: p.Embed, Join: p.Embed}); err == nil {
		t.Error("an answer without a context")
	}
	for _, plan := range []func(l *Layout){
		func(l *Layout) { l.Attention("a", 0, 1, 1, Set{Name: "s", Width: 1}) },
		func(l *Layout) { l.Attention("a", 1, 1, 1, Set{Name: "s", Width: 1, Seen: 2}) },
	} {
		var bad Layout
		plan(&bad)
		if _, err := NewNetwork(&bad); err == nil {
			t.Error("planned an impossible attention")
		}
	}
}
