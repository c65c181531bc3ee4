package nn

import "fmt"

type weightedSum struct{ weights []float64 }

// WeightedSum makes the operation sum_i weights[i]*x_i over scalar inputs, such
// as the parts of a loss. The sum is taken in float64, in order.
func WeightedSum(weights ...float64) Fused { return &weightedSum{weights} }

func (o *weightedSum) Name() string       { return "weighted sum" }
func (o *weightedSum) NeedsGrad(int) bool { return true }

func (o *weightedSum) Out(ext []*Extent, width []int) (*Extent, int, error) {
	if len(width) != len(o.weights) {
		return nil, 0, fmt.Errorf("%d inputs for %d weights", len(width), len(o.weights))
	}
	for i := range width {
		if ext[i] != nil || width[i] != 1 {
			return nil, 0, fmt.Errorf("input %d is not a scalar", i)
		}
	}
	return nil, 1, nil
}

func (o *weightedSum) Forward(in []Mat, out Mat) error {
	sum := 0.0
	for i, w := range o.weights {
		sum += w * float64(in[i].Data[0])
	}
	out.Data[0] = float32(sum)
	return nil
}

func (o *weightedSum) Backward(in []Mat, out, dOut Mat, dIn []Mat) error {
	for i, w := range o.weights {
		if dIn[i].Data != nil {
			dIn[i].Data[0] = float32(w) * dOut.Data[0]
		}
	}
	return nil
}
