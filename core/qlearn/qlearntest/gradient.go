package qlearntest

import (
	"math"
	"testing"

	"macpro/core/nn"
	"macpro/core/rng"
)

// Rows draws a matrix of normal numbers.
func Rows(s *rng.Stream, rows, cols int) nn.Mat {
	return nn.Mat{Rows: rows, Cols: cols, Data: Normals(s, rows*cols)}
}

// Gradient compares the gradients of an operation on rows with central
// differences, for a random weighting of its output and for every element of
// the inputs that are listed. The others stay as they are.
func Gradient(t *testing.T, s *rng.Stream, op nn.Fused, in []nn.Mat, inputs ...int) {
	t.Helper()
	const step, tolerance = 1e-2, 2e-3
	rows := nn.Extent{Cap: in[0].Rows, N: in[0].Rows}
	exts, widths, dIn := make([]*nn.Extent, len(in)), make([]int, len(in)), make([]nn.Mat, len(in))
	for i, m := range in {
		exts[i], widths[i] = &rows, m.Cols
		dIn[i] = nn.Mat{Rows: m.Rows, Cols: m.Cols, Data: make([]float32, len(m.Data))}
	}
	_, width, err := op.Out(exts, widths)
	if err != nil {
		t.Fatal(err)
	}
	out, weight := Rows(s, rows.N, width), Rows(s, rows.N, width)
	value := func() float64 {
		if err := op.Forward(in, out); err != nil {
			t.Fatal(err)
		}
		return nn.Dot(out.Data, weight.Data)
	}
	value()
	if err := op.Backward(in, out, weight, dIn); err != nil {
		t.Fatal(err)
	}
	for _, i := range inputs {
		size := math.Sqrt(nn.SumSq(dIn[i].Data) / float64(len(dIn[i].Data)))
		for j, x := range in[i].Data {
			in[i].Data[j] = x + step
			up := value()
			in[i].Data[j] = x - step
			want := (up - value()) / (2 * step)
			in[i].Data[j] = x
			if got := float64(dIn[i].Data[j]); math.Abs(got-want) > tolerance*(size+math.Abs(want)) {
				t.Errorf("%s: element %d of input %d: gradient %v, difference quotient %v", op.Name(), j, i, got, want)
			}
		}
	}
}
