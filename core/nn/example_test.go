package nn_test

import (
	"fmt"

	"macpro/core/nn"
	"macpro/core/rng"
)

// squaredError is a loss of one's own: the mean over rows of (y-target)^2.
type squaredError struct{}

func (squaredError) Name() string         { return "squared error" }
func (squaredError) NeedsGrad(i int) bool { return i == 0 }

func (squaredError) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if len(ext) != 2 || ext[0] != ext[1] || width[0] != width[1] {
		return nil, 0, fmt.Errorf("prediction and target have widths %v", width)
	}
	return nil, 1, nil
}

func (squaredError) Forward(in []nn.Mat, out nn.Mat) error {
	sum := 0.0
	for i, y := range in[0].Data {
		d := float64(y - in[1].Data[i])
		sum += d * d
	}
	out.Data[0] = float32(sum / float64(in[0].Rows))
	return nil
}

func (squaredError) Backward(in []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	for i, y := range in[0].Data {
		dIn[0].Data[i] = dOut.Data[0] * 2 * (y - in[1].Data[i]) / float32(in[0].Rows)
	}
	return nil
}

// A line is fitted to points on batches of changing size.
func Example() {
	var l nn.Layout
	line := l.Linear("line", 1, 1, nn.ActNone)
	net, err := nn.NewNetwork(&l)
	if err != nil {
		fmt.Println(err)
		return
	}
	stream := rng.New(1).Stream()
	net.Init(stream)

	g := nn.NewGraph()
	rows := g.Extent(16)
	x, target := g.Input("x", rows, 1), g.Input("target", rows, 1)
	y, err := g.Apply(line.Op(), x, g.Param(net, line.Segment))
	if err != nil {
		fmt.Println(err)
		return
	}
	loss, err := g.Apply(squaredError{}, y, target)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := g.Compile(loss); err != nil {
		fmt.Println(err)
		return
	}
	opt := nn.NewAdam(len(net.Params), 0.05, 10)
	for step := range 500 {
		rows.N = 1 + step%rows.Cap
		for i := range x.Data() {
			v := float32(stream.Norm())
			x.Data()[i], target.Data()[i] = v, 2*v-1
		}
		if err := g.Run(); err != nil {
			fmt.Println(err)
			return
		}
		if _, err := opt.Step(net, net.All()); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("y = %.2f x %+.2f\n", net.Params[0], net.Params[1])
	// Output: y = 2.00 x -1.00
}
