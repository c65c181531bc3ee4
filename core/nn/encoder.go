package nn

import "fmt"

// EncoderShape is the size of an Encoder.
type EncoderShape struct {
	In     int // floats of an input row
	Width  int // of the tokens, of each head and of the output
	Heads  int // of the attention, each as wide as a token
	Depth  int // blocks
	FFMult int // width of a block's hidden layer in units of Width
	// Positions adds sine and cosine codes of the row's place in its sequence
	// to the tokens (Vaswani et al., 2017). Without them the result does not
	// depend on the order of the rows.
	Positions bool
	// Bent puts a ReLU after the layer that follows the blocks, which makes the
	// last three layers one MLP.
	Bent bool
}

// Encoder reads sequences of rows with a transformer and gives, for every row,
// two vectors of Width floats, meant as mean and log variance of a Gaussian:
//
//	token = Linear(In -> Width)
//	Depth blocks, see Blocks
//	Linear(Width -> Width), Bent or not, then an MLP Width -> Width -> 2*Width with one ReLU
//
// A module is only the plan; it serves every network of its layout.
type Encoder struct {
	Embed  MLP
	Blocks Blocks
	Mixed  MLP
	Stats  MLP
}

// Encoder plans an encoder; its parameters are contiguous.
func (l *Layout) Encoder(name string, s EncoderShape) Encoder {
	if s.In < 1 || s.Width < 1 || s.Heads < 1 || s.Depth < 1 || s.FFMult < 1 {
		l.fail("encoder %q has shape %+v, every size must be at least 1", name, s)
		return Encoder{}
	}
	mixed := ActNone
	if s.Bent {
		mixed = ActReLU
	}
	return Encoder{
		Embed:  l.Linear(name+".embed", s.In, s.Width, ActNone),
		Blocks: l.blocks(name+".blocks", s),
		Mixed:  l.Linear(name+".mixed", s.Width, s.Width, mixed),
		Stats:  l.MLP(name+".stats", []int{s.Width, s.Width, 2 * s.Width}, ActNone),
	}
}

// Range is the place of the encoder in its network.
func (e Encoder) Range() Range { return Range{e.Embed.Range().Lo, e.Stats.Range().Hi} }

// Apply adds the encoder to a graph: rows x [N,In] of the given sequences give
// [N, 2*Width], in each row the mean and then the log variance.
func (e Encoder) Apply(g *Graph, net *Network, x *Value, seqs *Sequences) (*Value, error) {
	v := x
	for _, part := range []struct {
		op  Fused
		seg Segment
	}{
		{e.Embed.Op(), e.Embed.Segment},
		{e.Blocks.Op(seqs), e.Blocks.Segment},
		{e.Mixed.Op(), e.Mixed.Segment},
		{e.Stats.Op(), e.Stats.Segment},
	} {
		var err error
		if v, err = g.Apply(part.op, v, g.Param(net, part.seg)); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Blocks is a stack of transformer blocks with the normalisation after each
// residual sum:
//
//	y = LN(x + U [O_1; ...; O_H] + b),  O_h = softmax(Q_h K_h'/sqrt(Width)) V_h
//	x = LN(y + W2 ReLU(W1 y + b1) + b2)
//
// Queries, keys and values are linear without bias, and each head is as wide as
// a token. Block i, counted from 0, has the tensors block<i>.queries.weight,
// .keys.weight, .values.weight [H*Width, Width], .unify.weight [Width, H*Width],
// .unify.bias, .norm1.weight, .norm1.bias, .ff1.weight [FF, Width], .ff1.bias,
// .ff2.weight [Width, FF], .ff2.bias, .norm2.weight and .norm2.bias.
type Blocks struct {
	Segment
	Width, Heads, FF, Depth int
	Positions               bool
}

// The tensors of one block in their order.
const (
	atQueries = iota
	atKeys
	atValues
	atUnify
	atUnifyBias
	atNorm1
	atNorm1Bias
	atFF1
	atFF1Bias
	atFF2
	atFF2Bias
	atNorm2
	atNorm2Bias
	perBlock
)

// blocks plans a stack of blocks.
func (l *Layout) blocks(name string, s EncoderShape) Blocks {
	w, wide, ff := s.Width, s.Heads*s.Width, s.FFMult*s.Width
	var tensors []TensorSpec
	for i := range s.Depth {
		add := func(name string, start Init, shape ...int) {
			tensors = append(tensors, TensorSpec{Name: fmt.Sprintf("block%d.%s", i, name), Shape: shape, Init: start})
		}
		add("queries.weight", FanIn(w), wide, w)
		add("keys.weight", FanIn(w), wide, w)
		add("values.weight", FanIn(w), wide, w)
		add("unify.weight", FanIn(wide), w, wide)
		add("unify.bias", FanIn(wide), w)
		add("norm1.weight", Init{Value: 1}, w)
		add("norm1.bias", Init{}, w)
		add("ff1.weight", FanIn(w), ff, w)
		add("ff1.bias", FanIn(w), ff)
		add("ff2.weight", FanIn(ff), w, ff)
		add("ff2.bias", FanIn(ff), w)
		add("norm2.weight", Init{Value: 1}, w)
		add("norm2.bias", Init{}, w)
	}
	return Blocks{Segment: l.Segment(name, tensors...), Width: w, Heads: s.Heads, FF: ff, Depth: s.Depth, Positions: s.Positions}
}

// of cuts tensor at of block i out of the segment's floats.
func (m Blocks) of(seg []float32, i, at int) []float32 { return m.Tensors[i*perBlock+at].Of(seg) }
