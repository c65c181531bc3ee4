package nn

import (
	"fmt"
	"testing"
)

func TestGRUMatchesReference(t *testing.T) {
	cases := []struct {
		in, h, agents int
		alive         []int
	}{
		{1, 1, 1, []int{1}}, {3, 2, 1, []int{1, 1, 1}}, {5, 7, 2, []int{4, 3, 3, 1}}, {64, 64, 3, []int{9, 9, 8, 2, 1}},
		{7, 33, 1, []int{5}}, {9, 16, 2, []int{3, 3, 3, 3, 3, 3}},
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			var l Layout
			m := l.GRU("g", c.in, c.h)
			p := network(t, &l).Params
			var steps Steps
			if err := steps.Set(c.agents, c.alive); err != nil {
				t.Fatal(err)
			}
			n := steps.Rows()
			x, dy := normals(n*c.in, "x"), normals(n*c.h, "dy")
			out, dIn := direct(t, m.Op(&steps), []Mat{{n, c.in, x}, {1, len(p), p}}, c.h, dy)
			wantH, wantX, wantP := refSequences(m, &steps, p, x, dy)
			near(t, "hidden states", out, wantH, 2e-6)
			near(t, "gradient of the parameters", dIn[1].Data, wantP, 1e-5)
			near(t, "gradient of the rows", dIn[0].Data, wantX, 1e-5)
		})
	}
}

// refSequences unrolls every row's sequence by itself.
func refSequences(m GRU, steps *Steps, p, x, dy []float32) (h, dx, dp []float64) {
	n := steps.Rows()
	h, dx, dp = make([]float64, n*m.Hidden), make([]float64, n*m.In), make([]float64, len(p))
	for i := range steps.Alive[0] * steps.Agents {
		var xs, dhs [][]float64
		for t := 0; t < steps.Len() && i < steps.Alive[t]*steps.Agents; t++ {
			r := steps.Offset[t] + i
			xs = append(xs, wide(x[r*m.In:(r+1)*m.In]))
			dhs = append(dhs, wide(dy[r*m.Hidden:(r+1)*m.Hidden]))
		}
		hs, dxs := refGRU(m.In, m.Hidden, p, xs, dhs, dp)
		for t := range hs {
			r := steps.Offset[t] + i
			copy(h[r*m.Hidden:], hs[t])
			copy(dx[r*m.In:], dxs[t])
		}
	}
	return h, dx, dp
}

func TestStepsRefuse(t *testing.T) {
	var s Steps
	for _, alive := range [][]int{nil, {2, 3}, {2, 0}} {
		if err := s.Set(1, alive); err == nil {
			t.Errorf("alive %v was accepted", alive)
		}
	}
	if err := s.Set(0, []int{1}); err == nil {
		t.Error("no agents were accepted")
	}
}

// An episode's states and gradients must not depend on the others in its batch.
func TestGRUIgnoresOtherEpisodes(t *testing.T) {
	var l Layout
	m := l.GRU("g", 5, 8)
	p := network(t, &l).Params
	var both, alone Steps
	if err := both.Set(2, []int{2, 2, 1}); err != nil {
		t.Fatal(err)
	}
	if err := alone.Set(2, []int{1, 1, 1}); err != nil {
		t.Fatal(err)
	}
	x := normals(both.Rows()*5, "x")
	one := append(append(append([]float32(nil), x[:10]...), x[20:30]...), x[40:50]...)
	seg := Mat{1, len(p), p}
	h, _ := direct(t, m.Op(&both), []Mat{{both.Rows(), 5, x}, seg}, 8, make([]float32, both.Rows()*8))
	g, _ := direct(t, m.Op(&alone), []Mat{{alone.Rows(), 5, one}, seg}, 8, make([]float32, alone.Rows()*8))
	for s, first := range []int{0, 4, 8} {
		sameBits(t, "states", h[first*8:(first+2)*8], g[s*16:(s+1)*16])
	}
}
