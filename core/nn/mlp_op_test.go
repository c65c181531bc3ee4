package nn

import (
	"fmt"
	"testing"
)

// direct runs an operation outside of a graph, with gradients for all inputs.
func direct(t *testing.T, f Fused, in []Mat, outCols int, dOut []float32) (out []float32, dIn []Mat) {
	t.Helper()
	f.(Recorder).Record()
	o := Mat{in[0].Rows, outCols, make([]float32, in[0].Rows*outCols)}
	for _, m := range in {
		d := Mat{m.Rows, m.Cols, make([]float32, len(m.Data))}
		for i := range d.Data {
			d.Data[i] = 99 // must be overwritten
		}
		dIn = append(dIn, d)
	}
	if err := f.Forward(in, o); err != nil {
		t.Fatal(err)
	}
	if err := f.Backward(in, o, Mat{o.Rows, o.Cols, dOut}, dIn); err != nil {
		t.Fatal(err)
	}
	return o.Data, dIn
}

func TestMLPMatchesReference(t *testing.T) {
	stacks := []struct {
		widths []int
		last   Act
	}{
		{[]int{1, 1}, ActNone}, {[]int{1, 1, 1}, ActReLU}, {[]int{3, 1}, ActAbs}, {[]int{7, 5}, ActReLU},
		{[]int{10, 64, 96}, ActAbs}, {[]int{17, 33, 31, 64}, ActReLU}, {[]int{5, 17, 3, 9, 2}, ActNone},
	}
	for _, s := range stacks {
		for _, n := range []int{0, 1, 2, 5, 95, 96, 97, 193} {
			t.Run(fmt.Sprint(s.widths, s.last, n), func(t *testing.T) {
				var l Layout
				m := l.MLP("m", s.widths, s.last)
				p := network(t, &l).Params
				x, dy := normals(n*m.In(), "x"), normals(n*m.Out(), "dy")
				out, dIn := direct(t, m.Op(), []Mat{{n, m.In(), x}, {1, len(p), p}}, m.Out(), dy)
				var wantY, wantX []float64
				wantP := make([]float64, len(p))
				for i := range n {
					y, dx := refMLP(s.widths, s.last, p, wide(x[i*m.In():(i+1)*m.In()]), wide(dy[i*m.Out():(i+1)*m.Out()]), wantP)
					wantY, wantX = append(wantY, y...), append(wantX, dx...)
				}
				near(t, "output", out, wantY, 2e-6)
				near(t, "gradient of the parameters", dIn[1].Data, wantP, 5e-6)
				near(t, "gradient of the rows", dIn[0].Data, wantX, 5e-6)
			})
		}
	}
}

func TestMLPWithoutSomeGradients(t *testing.T) {
	var l Layout
	m := l.MLP("m", []int{4, 6, 3}, ActNone)
	p := network(t, &l).Params
	const n = 2*blockRows + 1
	x, dy := Mat{n, 4, normals(n*4, "x")}, normals(n*3, "dy")
	in := []Mat{x, {1, len(p), p}}
	out, full := direct(t, m.Op(), in, 3, dy)
	op := m.Op()
	op.(Recorder).Record()
	o := Mat{n, 3, make([]float32, n*3)}
	if err := op.Forward(in, o); err != nil {
		t.Fatal(err)
	}
	for skip := range 2 {
		dIn := []Mat{{n, 4, make([]float32, n*4)}, {1, len(p), make([]float32, len(p))}}
		dIn[skip].Data = nil
		if err := op.Backward(in, o, Mat{n, 3, dy}, dIn); err != nil {
			t.Fatal(err)
		}
		sameBits(t, "remaining gradient", dIn[1-skip].Data, full[1-skip].Data)
	}
	sameBits(t, "output", o.Data, out)
}
