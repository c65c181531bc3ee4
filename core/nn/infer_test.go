package nn

import (
	"fmt"
	"testing"

	"macpro/core/rng"
)

// Acting step by step must give the bits of the graph's forward pass, before
// and after a change of the weights.
func TestInferenceEqualsGraph(t *testing.T) {
	a := newAgent(t, 4*110, 17, 32, 24, 5, 2)
	phi, err := NewRecurrent(a.net, a.mlp, a.gru)
	if err != nil {
		t.Fatal(err)
	}
	head := NewDense(a.net, a.head)
	for round := range 2 {
		a.feed(t, 53, 53, 20, 1)
		run(t, a.g)
		h := make([]float32, 53*2*24)
		for s := range a.steps.Len() {
			first, rows := a.steps.at(s)
			q := make([]float32, rows*5)
			if err := phi.Step(rows, a.x.Data()[first*17:], h); err != nil {
				t.Fatal(err)
			}
			if err := head.Apply(rows, h, q); err != nil {
				t.Fatal(err)
			}
			sameBits(t, "hidden", h[:rows*24], a.h.Data()[first*24:(first+rows)*24])
			sameBits(t, "q", q, a.q.Data()[first*5:(first+rows)*5])
		}
		a.net.Init(rng.New(uint64(100 + round)).Stream())
	}
}

func TestDenseLoad(t *testing.T) {
	var l Layout
	m := l.MLP("m", []int{6, 9, 4}, ActAbs)
	net := network(t, &l)
	x, want, got := normals(18, "x"), make([]float32, 12), make([]float32, 12)
	if err := NewDense(net, m).Apply(3, x, want); err != nil {
		t.Fatal(err)
	}
	d := NewDense(nil, m)
	if err := d.Apply(3, x, got); err == nil {
		t.Error("applied without parameters")
	}
	if err := d.Load(net.Params[1:]); err == nil {
		t.Error("loaded a segment of another size")
	}
	saved := append([]float32(nil), net.Params...)
	if err := d.Load(saved); err != nil {
		t.Fatal(err)
	}
	clear(saved)
	if err := d.Apply(3, x, got); err != nil {
		t.Fatal(err)
	}
	sameBits(t, "loaded", got, want)
	if err := d.Apply(4, x, got); err == nil {
		t.Error("read 4 rows of 3")
	}
}

func TestDenseApplyRows(t *testing.T) {
	var l Layout
	m := l.Linear("m", 3, 2, ActNone)
	d := NewDense(network(t, &l), m)
	x, all := normals(5*3, "x"), make([]float32, 10)
	if err := d.Apply(5, x, all); err != nil {
		t.Fatal(err)
	}
	want, got := make([]float32, 10), make([]float32, 10)
	copy(want[2:4], all[2:4])
	copy(want[8:], all[8:])
	if err := d.ApplyRows([]int32{4, 1}, x, got); err != nil {
		t.Fatal(err)
	}
	sameBits(t, "rows 4 and 1", got, want)
	for _, r := range []int32{-1, 5} {
		if err := d.ApplyRows([]int32{r}, x, got); err == nil {
			t.Errorf("row %d of 5 was accepted", r)
		}
	}
}

func TestInferenceDoesNotAllocate(t *testing.T) {
	a := newAgent(t, 8, 17, 32, 24, 5, 2)
	phi, err := NewRecurrent(a.net, a.mlp, a.gru)
	if err != nil {
		t.Fatal(err)
	}
	head := NewDense(a.net, a.head)
	x, h, q := normals(8*17, "x"), make([]float32, 8*24), make([]float32, 8*5)
	some := []int32{7, 2, 3}
	if n := testing.AllocsPerRun(50, func() {
		a.net.Touch()
		if phi.Step(8, x, h) != nil || head.Apply(8, h, q) != nil || head.ApplyRows(some, h, q) != nil {
			t.Fatal("a step failed")
		}
	}); n != 0 {
		t.Errorf("%v allocations in a step", n)
	}
}

// The full agent of the LBF and PP tasks: 17 -> 128x4 -> 64, GRU 64, 5 actions.
func BenchmarkAct(b *testing.B) {
	for _, rows := range []int{2, 3, 6, 64} {
		b.Run(fmt.Sprint("rows=", rows), func(b *testing.B) {
			a := newAgent(b, 1, 17, 128, 64, 5, 1)
			phi, err := NewRecurrent(a.net, a.mlp, a.gru)
			if err != nil {
				b.Fatal(err)
			}
			head := NewDense(a.net, a.head)
			x, h, q := normals(rows*17, "x"), make([]float32, rows*64), make([]float32, rows*5)
			b.ReportAllocs()
			for b.Loop() {
				if phi.Step(rows, x, h) != nil || head.Apply(rows, h, q) != nil {
					b.Fatal("a step failed")
				}
			}
		})
	}
}

// BenchmarkRepack is the cost of a weight update for acting.
func BenchmarkRepack(b *testing.B) {
	a := newAgent(b, 1, 17, 128, 64, 5, 1)
	phi, err := NewRecurrent(a.net, a.mlp, a.gru)
	if err != nil {
		b.Fatal(err)
	}
	x, h := normals(2*17, "x"), make([]float32, 2*64)
	for b.Loop() {
		a.net.Touch()
		if phi.Step(2, x, h) != nil {
			b.Fatal("a step failed")
		}
	}
}
