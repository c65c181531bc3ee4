package nn

import (
	"fmt"
	"slices"

	"macpro/core/names"
	"macpro/core/rng"
)

// Network is one flat slice of parameters and one of gradients, cut into the
// segments of its layout. Copying a network, saving it or pulling it towards an
// anchor is a loop over one slice.
type Network struct {
	Params []float32
	Grads  []float32

	segments []Segment
	version  *uint64 // shared by all that share Params
}

// NewNetwork makes a network of zeros with the given layout.
func NewNetwork(l *Layout) (*Network, error) {
	if l.err != nil {
		return nil, l.err
	}
	if err := l.fits(); err != nil {
		return nil, err
	}
	return &Network{
		Params:   make([]float32, l.len),
		Grads:    make([]float32, l.len),
		segments: slices.Clone(l.segments),
		version:  new(uint64),
	}, nil
}

// Segments lists the network's segments in order.
func (n *Network) Segments() []Segment { return n.segments }

// All is the range of the whole network.
func (n *Network) All() Range { return Range{0, len(n.Params)} }

// Version counts the changes of the parameters that went through Touch; what
// was derived from older parameters is stale.
func (n *Network) Version() uint64 { return *n.version }

// Touch must be called after Params was written to directly. The network's own
// methods and the optimisers call it themselves.
func (n *Network) Touch() { *n.version++ }

// Init draws all parameters from s, segment by segment.
func (n *Network) Init(s *rng.Stream) {
	for _, seg := range n.segments {
		seg.initialise(n.Params, s)
	}
	n.Touch()
}

// InitSegment draws the parameters of one segment from s.
func (n *Network) InitSegment(seg Segment, s *rng.Stream) {
	seg.initialise(n.Params, s)
	n.Touch()
}

// Clone returns a network with parameters of its own that equal n's, and zero
// gradients.
func (n *Network) Clone() *Network {
	return &Network{
		Params:   slices.Clone(n.Params),
		Grads:    make([]float32, len(n.Grads)),
		segments: n.segments,
		version:  new(uint64),
	}
}

// Fork returns a network that shares n's parameters but has gradients of its
// own, for a graph that computes one part of a batch.
func (n *Network) Fork() *Network {
	return &Network{
		Params:   n.Params,
		Grads:    make([]float32, len(n.Grads)),
		segments: n.segments,
		version:  n.version,
	}
}

// holds tells whether r is a non-empty range of the network.
func (n *Network) holds(r Range) bool { return 0 <= r.Lo && r.Lo < r.Hi && r.Hi <= len(n.Params) }

// SetRange copies p into the range r.
func (n *Network) SetRange(r Range, p []float32) error {
	if !n.holds(r) || r.Len() != len(p) {
		return fmt.Errorf("network: cannot copy %d parameters into [%d,%d) of %d", len(p), r.Lo, r.Hi, len(n.Params))
	}
	copy(n.Params[r.Lo:r.Hi], p)
	n.Touch()
	return nil
}

// ZeroGrads sets all gradients to zero.
func (n *Network) ZeroGrads() { clear(n.Grads) }

// Tensor is a view of one named tensor of a network.
type Tensor struct {
	Name  string // segment.tensor
	Shape []int
	Range Range
}

// Tensors lists all tensors of the network in the order of the flat slice.
func (n *Network) Tensors() []Tensor {
	var all []Tensor
	for _, s := range n.segments {
		for _, t := range s.Tensors {
			lo := s.Offset + t.Offset
			all = append(all, Tensor{s.Name + "." + t.Name, t.Shape, Range{lo, lo + t.Len()}})
		}
	}
	return all
}

// Tensor finds a tensor by its full name, segment.tensor.
func (n *Network) Tensor(name string) (Tensor, error) {
	var known []string
	for _, t := range n.Tensors() {
		if t.Name == name {
			return t, nil
		}
		known = append(known, t.Name)
	}
	return Tensor{}, names.Unknown("tensor", name, known)
}
