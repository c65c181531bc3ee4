package qlearn

import (
	"fmt"

	"macpro/core/nn"
)

// greedyOp turns action values [records*n, A] into the joint greedy actions
// [steps, n*A] at one record of each transition: one-hot over the available
// actions of each agent, all zero where nothing is available. Choosing has no
// gradient.
type greedyOp struct {
	v     *view
	after bool // at the record that the transition reaches, not where it starts
}

func (o *greedyOp) Name() string       { return "greedy actions" }
func (o *greedyOp) NeedsGrad(int) bool { return false }

func (o *greedyOp) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if len(ext) != 1 || ext[0] != o.v.agents || width[0] != o.v.A {
		return nil, 0, fmt.Errorf("want the values of %d actions per record and agent, got inputs of widths %v", o.v.A, width)
	}
	return o.v.steps, o.v.n * o.v.A, nil
}

func (o *greedyOp) Forward(in []nn.Mat, out nn.Mat) error {
	clear(out.Data)
	for k := range o.v.steps.N {
		r, joint := o.v.at(k, o.after), out.Row(k)
		for i := range o.v.n {
			if a := o.v.greedy(in[0], r, i); a >= 0 {
				joint[i*o.v.A+a] = 1
			}
		}
	}
	return nil
}

func (o *greedyOp) Backward([]nn.Mat, nn.Mat, nn.Mat, []nn.Mat) error { return nil }

// chosenOp picks the values of joint actions: from values [records*n, A] and
// one-hot joint actions [steps, n*A] it makes [steps, n], zero where an agent
// has no action. Values of other actions are not looked at.
type chosenOp struct {
	v      *view
	after  bool // at the record that the transition reaches, not where it starts
	values bool // a gradient flows into the values
}

func (o *chosenOp) Name() string         { return "chosen values" }
func (o *chosenOp) NeedsGrad(i int) bool { return o.values && i == 0 }

func (o *chosenOp) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if len(ext) != 2 || ext[0] != o.v.agents || ext[1] != o.v.steps || width[0] != o.v.A || width[1] != o.v.n*o.v.A {
		return nil, 0, fmt.Errorf("want values of %d actions and joint actions of %d, got inputs of widths %v", o.v.A, o.v.n*o.v.A, width)
	}
	return o.v.steps, o.v.n, nil
}

func (o *chosenOp) Forward(in []nn.Mat, out nn.Mat) error {
	for k := range o.v.steps.N {
		first, dst := o.v.at(k, o.after)*o.v.n, out.Row(k)
		for i := range dst {
			dst[i] = 0
			if a := o.action(in[1].Row(k), i); a >= 0 {
				dst[i] = in[0].Row(first + i)[a]
			}
		}
	}
	return nil
}

func (o *chosenOp) Backward(in []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	clear(dIn[0].Data)
	for k := range o.v.steps.N {
		first, src := o.v.at(k, o.after)*o.v.n, dOut.Row(k)
		for i, g := range src {
			if a := o.action(in[1].Row(k), i); a >= 0 {
				dIn[0].Row(first + i)[a] = g
			}
		}
	}
	return nil
}

// action is the action of agent i in a one-hot joint action, -1 if it has none.
func (o *chosenOp) action(joint []float32, i int) int {
	for a, one := range joint[i*o.v.A : (i+1)*o.v.A] {
		if one != 0 {
			return a
		}
	}
	return -1
}
