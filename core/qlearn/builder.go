package qlearn

import (
	"fmt"
	"slices"

	"macpro/core/nn"
)

// builder adds operations to a graph that read their parameters from one
// network. It keeps the first fault, so that errors need no look in between.
type builder struct {
	what  string // for errors
	graph *nn.Graph
	net   *nn.Network
	err   error
}

func (b *builder) Param(s nn.Segment) *nn.Value { return b.graph.Param(b.net, s) }

type paramOf func(nn.Segment) *nn.Value

// heads are the values of the network's own head and then those of heads that
// learn nothing, with the parameters of other networks.
func (b *builder) heads(fixed []*nn.Network, values func(param paramOf) *nn.Value) ([]*nn.Value, error) {
	all := []*nn.Value{values(b.Param)}
	for _, net := range fixed {
		all = append(all, values(func(s nn.Segment) *nn.Value { return b.graph.Frozen(net, s) }))
	}
	return all, b.err
}

// Net applies a stack of layers to rows.
func (b *builder) Net(mod nn.MLP, x *nn.Value) *nn.Value {
	return b.Apply(mod.Op(), x, b.Param(mod.Segment))
}

// Pairs applies a module to the items of each row and its context.
func (b *builder) Pairs(p nn.Pairs, items, context *nn.Value) *nn.Value {
	return b.Apply(p.Op(nil), items, context, b.Param(p.Embed.Segment), b.Param(p.Join.Segment))
}

// Summary turns entities of several kinds into one vector.
func (b *builder) Summary(s nn.Summary, kinds ...*nn.Value) *nn.Value {
	in := slices.Clone(kinds)
	for _, seg := range s.Segments() {
		in = append(in, b.Param(seg))
	}
	return b.Apply(s.Op(), in...)
}

// Apply adds an operation. After a fault it adds nothing and returns nil.
func (b *builder) Apply(f nn.Fused, in ...*nn.Value) *nn.Value {
	if b.err != nil {
		return nil
	}
	v, err := b.graph.Apply(f, in...)
	return b.keep(v, err)
}

// Result returns v, or the first fault.
func (b *builder) Result(v *nn.Value) (*nn.Value, error) { return v, b.err }

func (b *builder) keep(v *nn.Value, err error) *nn.Value {
	if err != nil && b.err == nil {
		b.err = fmt.Errorf("%s: %w", b.what, err)
	}
	return v
}
