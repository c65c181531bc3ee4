package nn

import (
	"fmt"
	"math"

	"macpro/core"
	"macpro/core/nn/internal/kernel"
)

// OptimState is a named part of an optimiser's state, to be saved. Data is the
// optimiser's own: writing into it restores it.
type OptimState struct {
	Name string
	Data []float32
}

// StepInfo tells about one step.
type StepInfo struct {
	Norm float64 // L2 norm of the gradient before clipping
	Clip float64 // factor that clipping applied, 1 for none
}

// prepare checks that ranges fit a network and a state of n parameters, and clips the
// gradient: the factor is min(1, maxNorm/(norm+1e-6)) with the norm taken over all
// ranges; maxNorm 0 means no clipping.
func prepare(n int, net *Network, ranges []Range, maxNorm float64) (StepInfo, error) {
	if len(net.Params) != n {
		return StepInfo{}, fmt.Errorf("optimiser: made for %d parameters, the network has %d", n, len(net.Params))
	}
	sum := 0.0
	for _, r := range ranges {
		if r.Lo < 0 || r.Hi > n || r.Lo > r.Hi {
			return StepInfo{}, fmt.Errorf("optimiser: range [%d,%d) is not within %d parameters", r.Lo, r.Hi, n)
		}
		sum += kernel.SumSq(r.Of(net.Grads))
	}
	info := StepInfo{Norm: math.Sqrt(sum), Clip: 1}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return info, core.NotFinite("optimiser: the gradient's norm is %v", info.Norm)
	}
	if maxNorm > 0 {
		info.Clip = math.Min(1, maxNorm/(info.Norm+1e-6))
	}
	return info, nil
}

// RMSProp divides the gradient by a running root mean square of itself, as
// PyTorch does without momentum and centering:
//
//	v = alpha*v + (1-alpha)*g*g        p = p - lr*g/(sqrt(v)+eps)
type RMSProp struct {
	LR, Alpha, Eps float64
	MaxNorm        float64 // 0 for no clipping

	v []float32
}

// NewRMSProp makes the optimiser of a network of n parameters.
func NewRMSProp(n int, lr, alpha, eps, maxNorm float64) *RMSProp {
	return &RMSProp{LR: lr, Alpha: alpha, Eps: eps, MaxNorm: maxNorm, v: make([]float32, n)}
}

// Step clips the gradient by its norm over all ranges together, makes one update of the
// ranges and leaves net.Grads as they are. A gradient that is not finite is an error, and
// nothing is changed then.
func (o *RMSProp) Step(net *Network, ranges ...Range) (StepInfo, error) {
	info, err := prepare(len(o.v), net, ranges, o.MaxNorm)
	if err != nil {
		return info, err
	}
	for _, r := range ranges {
		kernel.RMSProp(r.Of(net.Params), r.Of(net.Grads), r.Of(o.v),
			float32(o.LR), float32(o.Alpha), float32(o.Eps), float32(info.Clip))
	}
	net.Touch()
	return info, nil
}

// Reset forgets what was learned about the gradient of a range.
func (o *RMSProp) Reset(r Range) { clear(r.Of(o.v)) }

// State is v.
func (o *RMSProp) State() []OptimState { return []OptimState{{"v", o.v}} }

// Adam (Kingma and Ba, 2015) with bias correction:
//
//	m = b1*m + (1-b1)*g                v = b2*v + (1-b2)*g*g
//	p = p - lr/(1-b1^t) * m / (sqrt(v/(1-b2^t)) + eps)
type Adam struct {
	LR, Beta1, Beta2, Eps float64
	MaxNorm               float64 // 0 for no clipping

	m, v []float32
	t    []float32 // one element: the number of steps made
}

// NewAdam makes the optimiser of a network of n parameters with the usual
// betas 0.9 and 0.999 and eps 1e-8.
func NewAdam(n int, lr, maxNorm float64) *Adam {
	return &Adam{LR: lr, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, MaxNorm: maxNorm,
		m: make([]float32, n), v: make([]float32, n), t: make([]float32, 1)}
}

// Step makes one update; see [RMSProp.Step].
func (o *Adam) Step(net *Network, ranges ...Range) (StepInfo, error) {
	info, err := prepare(len(o.v), net, ranges, o.MaxNorm)
	if err != nil {
		return info, err
	}
	o.t[0]++
	for _, r := range ranges {
		kernel.Adam(r.Of(net.Params), r.Of(net.Grads), r.Of(o.m), r.Of(o.v), float32(o.LR),
			float32(o.Beta1), float32(o.Beta2), float32(o.Eps), float32(info.Clip), int(o.t[0]))
	}
	net.Touch()
	return info, nil
}

// State is m, v and the number of steps t, which a float32 holds exactly up to
// 2^24.
func (o *Adam) State() []OptimState { return []OptimState{{"m", o.m}, {"v", o.v}, {"t", o.t}} }
