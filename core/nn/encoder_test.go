package nn

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// refBlocks applies a stack of blocks to one sequence in float64, with queries,
// keys and values computed one by one. p is the module's segment.
func refBlocks(m Blocks, p []float64, x [][]float64, keys int) [][]float64 {
	w, H := m.Width, m.Heads
	if m.Positions {
		moved := make([][]float64, len(x))
		for t := range x {
			moved[t] = slices.Clone(x[t])
			for k := range w {
				angle := float64(t) / math.Pow(10000, float64(k/2*2)/float64(w))
				moved[t][k] += []float64{math.Sin(angle), math.Cos(angle)}[k%2]
			}
		}
		x = moved
	}
	for i := range m.Depth {
		at := func(k int) []float64 {
			t := m.Tensors[i*perBlock+k]
			return p[t.Offset : t.Offset+t.Len()]
		}
		q, k, v := refLinear(at(atQueries), nil, x, H*w), refLinear(at(atKeys), nil, x, H*w), refLinear(at(atValues), nil, x, H*w)
		joint := make([][]float64, len(x))
		for t := range x {
			for h := range H {
				a := make([]float64, keys)
				sum := 0.0
				for j := range keys {
					for e := range w {
						a[j] += q[t][h*w+e] * k[j][h*w+e]
					}
					a[j] = math.Exp(a[j] / math.Sqrt(float64(w)))
					sum += a[j]
				}
				o := make([]float64, w)
				for j := range keys {
					for e := range w {
						o[e] += a[j] / sum * v[j][h*w+e]
					}
				}
				joint[t] = append(joint[t], o...)
			}
		}
		y := refNorm(at(atNorm1), at(atNorm1Bias), x, refLinear(at(atUnify), at(atUnifyBias), joint, w))
		f := refLinear(at(atFF1), at(atFF1Bias), y, m.FF)
		for _, row := range f {
			for j := range row {
				row[j] = max(row[j], 0)
			}
		}
		x = refNorm(at(atNorm2), at(atNorm2Bias), y, refLinear(at(atFF2), at(atFF2Bias), f, w))
	}
	return x
}

func refLinear(w, b []float64, x [][]float64, out int) [][]float64 {
	y := make([][]float64, len(x))
	for t := range x {
		y[t] = make([]float64, out)
		copy(y[t], b)
		for o := range out {
			for i, v := range x[t] {
				y[t][o] += w[o*len(x[t])+i] * v
			}
		}
	}
	return y
}

// refNorm normalises the rows of x+r.
func refNorm(gain, bias []float64, x, r [][]float64) [][]float64 {
	y := make([][]float64, len(x))
	for t := range x {
		n := float64(len(gain))
		mean, square := 0.0, 0.0
		for j := range gain {
			mean += (x[t][j] + r[t][j]) / n
		}
		for j := range gain {
			d := x[t][j] + r[t][j] - mean
			square += d * d / n
		}
		y[t] = make([]float64, len(gain))
		for j := range gain {
			y[t][j] = gain[j]*(x[t][j]+r[t][j]-mean)/math.Sqrt(square+1e-5) + bias[j]
		}
	}
	return y
}

// refStack applies refBlocks to all sequences.
func refStack(m Blocks, p, x []float64, s *Sequences) (out []float64) {
	for i := range s.Len() {
		first, n := s.At(i)
		var rows [][]float64
		for t := range n {
			rows = append(rows, x[(first+t)*m.Width:(first+t+1)*m.Width])
		}
		for _, row := range refBlocks(m, p, rows, s.Keys[i]) {
			out = append(out, row...)
		}
	}
	return out
}

// blocksCase is a stack with inputs, and sequences of the given rows and keys.
func blocksCase(t testing.TB, s EncoderShape, lengths ...[2]int) (m Blocks, seg, x []float32, seqs *Sequences) {
	t.Helper()
	var l Layout
	m = l.blocks("blocks", s)
	net := network(t, &l)
	for i, noise := range normals(len(net.Params), "gains") { // gains and biases away from 1 and 0
		net.Params[i] += 0.1 * noise
	}
	seqs = new(Sequences)
	for _, n := range lengths {
		if err := seqs.Add(n[0], n[1]); err != nil {
			t.Fatal(err)
		}
	}
	return m, net.Params, normals(seqs.Rows()*s.Width, "tokens"), seqs
}

func TestBlocksMatchReference(t *testing.T) {
	shapes := []EncoderShape{
		{In: 1, Width: 1, Heads: 1, Depth: 1, FFMult: 1},
		{In: 1, Width: 4, Heads: 3, Depth: 2, FFMult: 4},
		{In: 1, Width: 6, Heads: 2, Depth: 3, FFMult: 2, Positions: true},
		{In: 1, Width: 8, Heads: 1, Depth: 1, FFMult: 3, Positions: true},
	}
	lengths := [][2]int{{3, 3}, {1, 1}, {5, 4}, {7, 2}, {2, 1}}
	for _, s := range shapes {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			m, seg, x, seqs := blocksCase(t, s, lengths...)
			c := normals(len(x), "slopes")
			in := []Mat{{seqs.Rows(), s.Width, x}, {1, len(seg), seg}}
			out, dIn := direct(t, m.Op(seqs), in, s.Width, c)
			near(t, "output", out, refStack(m, wide(seg), wide(x), seqs), 2e-5)

			loss := func(p, x []float64) (sum float64) {
				for i, v := range refStack(m, p, x, seqs) {
					sum += v * float64(c[i])
				}
				return sum
			}
			p64, x64 := wide(seg), wide(x)
			near(t, "gradient of the tokens", dIn[0].Data, slopes(x64, func() float64 { return loss(p64, x64) }), 2e-4)
			for _, tensor := range m.Tensors {
				near(t, "gradient of "+tensor.Name, tensor.Of(dIn[1].Data),
					slopes(p64[tensor.Offset:tensor.Offset+tensor.Len()], func() float64 { return loss(p64, x64) }), 2e-4)
			}
		})
	}
}

// slopes are the central differences of f with respect to the elements of v.
func slopes(v []float64, f func() float64) []float64 {
	d := make([]float64, len(v))
	for i, at := range v {
		const h = 1e-5
		v[i] = at + h
		up := f()
		v[i] = at - h
		d[i] = (up - f()) / (2 * h)
		v[i] = at
	}
	return d
}

// A sequence has the same bits alone, among others, and in any chunk; without
// positions a permutation of its keys permutes its rows.
func TestSequencesAreIndependent(t *testing.T) {
	s := EncoderShape{In: 1, Width: 32, Heads: 3, Depth: 3, FFMult: 4}
	many := [][2]int{{25, 25}, {9, 8}, {17, 17}}
	for range 12 {
		many = append(many, [2]int{19, 19})
	}
	m, seg, x, seqs := blocksCase(t, s, many...)
	plain := func(x []float32, seqs *Sequences) []float32 {
		out := make([]float32, len(x))
		op := m.Op(seqs)
		if err := op.Forward([]Mat{{seqs.Rows(), s.Width, x}, {1, len(seg), seg}}, Mat{seqs.Rows(), s.Width, out}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	all := plain(x, seqs)
	recorded, _ := direct(t, m.Op(seqs), []Mat{{seqs.Rows(), s.Width, x}, {1, len(seg), seg}}, s.Width, x)
	sameBits(t, "recorded output", recorded, all)
	for i := range seqs.Len() {
		first, n := seqs.At(i)
		one := new(Sequences)
		if err := one.Add(n, seqs.Keys[i]); err != nil {
			t.Fatal(err)
		}
		own := slices.Clone(x[first*s.Width : (first+n)*s.Width])
		sameBits(t, "a sequence alone", plain(own, one), all[first*s.Width:(first+n)*s.Width])
		for k := range seqs.Keys[i] / 2 { // reverse the keys
			a, b := own[k*s.Width:(k+1)*s.Width], own[(seqs.Keys[i]-1-k)*s.Width:][:s.Width]
			for j := range a {
				a[j], b[j] = b[j], a[j]
			}
		}
		turned := plain(own, one)
		for k := range seqs.Keys[i] {
			back := seqs.Keys[i] - 1 - k
			near(t, "a reversed sequence", turned[k*s.Width:(k+1)*s.Width], wide(all[(first+back)*s.Width:(first+back+1)*s.Width]), 1e-5)
		}
	}
}

func TestBlocksRefuseOtherRows(t *testing.T) {
	m, seg, x, seqs := blocksCase(t, EncoderShape{In: 1, Width: 4, Heads: 1, Depth: 1, FFMult: 1}, [2]int{3, 3})
	err := m.Op(seqs).Forward([]Mat{{2, 4, x[:8]}, {1, len(seg), seg}}, Mat{2, 4, make([]float32, 8)})
	if err == nil {
		t.Fatal("two rows were taken for a sequence of three")
	}
	if err := seqs.Add(2, 3); err == nil {
		t.Fatal("a sequence of two rows with three keys was accepted")
	}
	var l Layout
	l.Encoder("e", EncoderShape{In: 3, Width: 4, Heads: 0, Depth: 1, FFMult: 1})
	if _, err := NewNetwork(&l); err == nil {
		t.Fatal("an encoder without heads was accepted")
	}
}

// encoderGraph is an encoder of the paper's size with the loss sum c*out.
func encoderGraph(t testing.TB, count, length int) (g *Graph, net *Network) {
	t.Helper()
	var l Layout
	e := l.Encoder("g", EncoderShape{In: 10, Width: 32, Heads: 3, Depth: 6, FFMult: 4})
	net = network(t, &l)
	g = NewGraph()
	rows, seqs := g.Extent(count*length), new(Sequences)
	for range count {
		if err := seqs.Add(length, length); err != nil {
			t.Fatal(err)
		}
	}
	x, c := g.Input("x", rows, 10), g.Input("c", rows, 64)
	stats, err := e.Apply(g, net, x, seqs)
	if err != nil {
		t.Fatal(err)
	}
	loss := apply(t, g, dotLoss{}, stats, c)
	compile(t, g, loss)
	copy(x.Data(), normals(len(x.Data()), "x"))
	copy(c.Data(), normals(len(c.Data()), "c"))
	return g, net
}

func TestEncoderDoesNotAllocateWithTheData(t *testing.T) {
	small, _ := encoderGraph(t, 4, 5)
	large, _ := encoderGraph(t, 64, 25)
	run(t, small)
	run(t, large)
	few := testing.AllocsPerRun(3, func() { run(t, small) })
	many := testing.AllocsPerRun(3, func() { run(t, large) })
	if many > few+1 {
		t.Fatalf("%v allocations for 1600 rows, %v for 20", many, few)
	}
}

func BenchmarkEncoder(b *testing.B) {
	for _, c := range [][2]int{{32, 25}, {64, 8}, {64, 25}, {128, 25}} {
		b.Run(fmt.Sprintf("%dx%d", c[0], c[1]), func(b *testing.B) {
			g, _ := encoderGraph(b, c[0], c[1])
			run(b, g)
			b.ReportAllocs()
			for b.Loop() {
				run(b, g)
			}
		})
	}
}
