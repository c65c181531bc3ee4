package nn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	ram "macpro/core/memory"
	"macpro/core/rng"
)

// Init is the distribution that a tensor's elements start from: uniform in
// [Value-Bound, Value+Bound). With Bound zero it is the constant Value.
type Init struct{ Value, Bound float64 }

// FanIn is PyTorch's default of a linear layer with in inputs, for weight and
// bias alike: uniform in [-1/sqrt(in), 1/sqrt(in)). A GRU uses it with its
// hidden width.
func FanIn(in int) Init { return Init{Bound: 1 / math.Sqrt(float64(in))} }

// TensorSpec is one named tensor of a segment, stored row-major. Offset counts
// floats from the start of the segment.
type TensorSpec struct {
	Name   string
	Shape  []int
	Offset int
	Init   Init
}

// Len is the number of floats of the tensor.
func (t TensorSpec) Len() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// floats is Len where the product may overflow.
func (t TensorSpec) floats() float64 {
	n := 1.0
	for _, d := range t.Shape {
		n *= float64(d)
	}
	return n
}

// maxFloats bounds a tensor, so that sums of sizes cannot overflow.
const maxFloats = 1 << 40

// Of returns the tensor's part of its segment's floats.
func (t TensorSpec) Of(segment []float32) []float32 {
	return segment[t.Offset : t.Offset+t.Len() : t.Offset+t.Len()]
}

// Range is the half-open interval [Lo,Hi) of a network's flat parameters.
type Range struct{ Lo, Hi int }

// Len is the number of parameters in r.
func (r Range) Len() int { return r.Hi - r.Lo }

// Of returns r's part of a flat slice of the whole network.
func (r Range) Of(flat []float32) []float32 { return flat[r.Lo:r.Hi:r.Hi] }

// Segment is the contiguous part of a network's parameters that one module
// owns. Offset counts floats from the start of the network.
type Segment struct {
	Name    string
	Offset  int
	Len     int
	Tensors []TensorSpec

	precision Precision
}

// Range is the place of s in its network.
func (s Segment) Range() Range { return Range{s.Offset, s.Offset + s.Len} }

// Of returns the segment's part of a flat slice of the whole network.
func (s Segment) Of(flat []float32) []float32 { return s.Range().Of(flat) }

// Layout is the plan of a network: modules are added one after the other, each
// taking the next segment, and NewNetwork makes any number of networks of it.
// A faulty module is remembered and reported by NewNetwork.
//
//	var l nn.Layout
//	mlp := l.MLP("phi.mlp", []int{17, 128, 64}, nn.ActReLU)
//	gru := l.GRU("phi.gru", 64, 64)
//	phi := nn.Range{Lo: 0, Hi: l.Len()}
//	head := l.Linear("head", 64, 5, nn.ActNone)
//	net, err := nn.NewNetwork(&l)
type Layout struct {
	Precision Precision // of the modules that are planned afterwards

	segments []Segment
	len      int
	err      error
}

// Len is the number of floats planned so far: the offset of the next segment.
func (l *Layout) Len() int { return l.len }

// Segments lists the planned segments in order.
func (l *Layout) Segments() []Segment { return l.segments }

// Segment plans a segment for a module of the caller's own. The tensors are
// laid out in the order given; their offsets are set here.
func (l *Layout) Segment(name string, tensors ...TensorSpec) Segment {
	s := Segment{Name: name, Offset: l.len, precision: l.Precision}
	for _, t := range tensors {
		for _, d := range t.Shape {
			if d < 1 {
				l.fail("segment %q: tensor %q has shape %v, every dimension must be at least 1", name, t.Name, t.Shape)
				return s
			}
		}
		if t.floats() > maxFloats {
			l.fail("segment %q: tensor %q has shape %v, which is %.3g floats, want at most %.3g", name, t.Name, t.Shape, t.floats(), float64(maxFloats))
			return s
		}
		t.Offset = s.Len
		s.Len += t.Len()
		s.Tensors = append(s.Tensors, t)
	}
	for _, other := range l.segments {
		if other.Name == name {
			l.fail("two segments are named %q", name)
		}
	}
	l.segments = append(l.segments, s)
	l.len += s.Len
	return s
}

// fits is an error if a network that is trained does not fit into memory: its
// parameters, their target, gradient and mean square, and one copy on its way to a
// checkpoint. The largest segment is named.
func (l *Layout) fits() error {
	if len(l.segments) == 0 {
		return nil
	}
	largest := slices.MaxFunc(l.segments, func(a, b Segment) int { return cmp.Compare(a.Len, b.Len) })
	what := fmt.Sprintf("network: %d weights (%d of them in %s), with target, gradient and optimiser,", l.len, largest.Len, largest.Name)
	return ram.Fits(what, 5*4*float64(l.len))
}

// fail keeps the first fault of the plan.
func (l *Layout) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("network layout: "+format, args...)
	}
}

// initialise draws the floats of segment s from st, tensor by tensor.
func (s Segment) initialise(params []float32, st *rng.Stream) {
	for _, t := range s.Tensors {
		for i, w := 0, t.Of(s.Of(params)); i < len(w); i++ {
			if w[i] = float32(t.Init.Value); t.Init.Bound != 0 {
				w[i] = float32(t.Init.Value + st.Uniform(-t.Init.Bound, t.Init.Bound))
			}
		}
	}
}
