package nn

import (
	"fmt"
	"slices"

	"macpro/core/nn/internal/kernel"
)

// Pairs gives every item of a row an answer that depends on the row's context:
//
//	y_j = Join([Embed(x_j); c])
//
// for the items x_j [Embed.In()] and the context c [Join.In()-Embed.Out()] of a
// row. Two modules of a network make it up; several Pairs may share an Embed.
// The context's share of Join's first layer is computed once for a row.
type Pairs struct{ Embed, Join MLP }

// Context is the width of the context.
func (m Pairs) Context() int { return m.Join.In() - m.Embed.Out() }

// check is an error unless the two modules fit together.
func (m Pairs) check() error {
	if m.Context() < 1 {
		return fmt.Errorf("%s reads %d features, %s alone has %d: no room for a context", m.Join.Name, m.Join.In(), m.Embed.Name, m.Embed.Out())
	}
	if m.Embed.Last == ActAbs {
		return fmt.Errorf("%s ends with |x|, want an embedding", m.Embed.Name)
	}
	return nil
}

// link is one layer of the way from items to answers.
type link struct {
	of             Segment // of Join or of Embed
	join           bool    // belongs to Join
	first          bool    // the layer that the context joins
	weight, bias   TensorSpec
	from, to, wide int // wide is the distance between rows of the weight
	act            Act
}

func (m Pairs) links() []link {
	var all []link
	add := func(x MLP, join bool) {
		for i := range x.layers() {
			k := link{of: x.Segment, join: join, weight: x.Tensors[2*i], bias: x.Tensors[2*i+1],
				from: x.Widths[i], to: x.Widths[i+1], wide: x.Widths[i], act: x.act(i)}
			if join && i == 0 {
				k.first, k.from = true, m.Embed.Out()
			}
			all = append(all, k)
		}
	}
	add(m.Embed, false)
	add(m.Join, true)
	return all
}

// pairing computes the answers of a Pairs, or only the layers of its Join.
type pairing struct {
	m       Pairs
	links   []link
	at      int // the layer that the context joins
	packed  []kernel.Packed
	biases  [][]float32
	context kernel.Packed // of the layer that the context joins
	base    []float32     // [rows, width of that layer] the contexts' share of it
	acts    [][]float32   // [blockRows, to] output of each layer
	scratch kernel.Scratch
}

func newPairing(m Pairs, links []link) pairing {
	at := slices.IndexFunc(links, func(k link) bool { return k.first })
	return pairing{m: m, links: links, at: at, packed: make([]kernel.Packed, len(links)),
		biases: make([][]float32, len(links)), acts: make([][]float32, len(links))}
}

func (o *pairing) pack(embed, join []float32) {
	for i, k := range o.links {
		seg := embed
		if k.join {
			seg = join
		}
		k.of.pack(&o.packed[i], true, k.from, k.to, k.weight.Of(seg), k.wide)
		o.biases[i] = append(o.biases[i][:0], k.bias.Of(seg)...)
		if k.first {
			k.of.pack(&o.context, true, o.m.Context(), k.to, k.weight.Of(seg)[k.from:], k.wide)
		}
	}
}

// contexts computes the share of the contexts c [rows, Context()].
func (o *pairing) contexts(rows int, c []float32) {
	to := o.links[o.at].to
	o.base = room(o.base, rows*to)
	kernel.GemmBiasAct(rows, c, o.m.Context(), &o.context, o.biases[o.at], ActNone, o.base, to, &o.scratch)
}

// answers computes y [rows, n, out] from items or embeddings x [rows, n, in]
// after contexts, a block of pairs at a time.
func (o *pairing) answers(rows, n int, x, y []float32) {
	in, last := o.links[0].from, len(o.links)-1
	out := o.links[last].to
	for i := range o.acts {
		o.acts[i] = room(o.acts[i], blockRows*o.links[i].to)
	}
	for lo := 0; lo < rows*n; lo += blockRows {
		pairs := min(blockRows, rows*n-lo)
		src := x[lo*in : (lo+pairs)*in]
		for i := range o.links {
			dst := o.acts[i][:pairs*o.links[i].to]
			if i == last {
				dst = y[lo*out : (lo+pairs)*out]
			}
			if o.links[i].first {
				for p := range pairs {
					o.lay(dst, p, (lo+p)/n)
				}
			}
			o.layer(i, pairs, src, o.links[i].act, dst)
			src = dst
		}
	}
}

// lay puts the context's share of a row where pair p of a block is computed.
func (o *pairing) lay(dst []float32, p, row int) {
	to := o.links[o.at].to
	copy(dst[p*to:(p+1)*to], o.base[row*to:])
}

// layer computes a layer of a block; the first one of Join adds to what lay put
// there.
func (o *pairing) layer(i, pairs int, src []float32, act Act, dst []float32) {
	k := o.links[i]
	if !k.first {
		kernel.GemmBiasAct(pairs, src, k.from, &o.packed[i], o.biases[i], act, dst, k.to, &o.scratch)
		return
	}
	kernel.GemmPacked(pairs, src, k.from, &o.packed[i], true, dst, k.to, &o.scratch)
	switch act {
	case ActReLU:
		kernel.ReLU(dst, dst)
	case ActAbs:
		kernel.Abs(dst, dst)
	}
}

// Answer applies the Join of a Pairs to embedded items without a graph, with
// the bits that the graph would give. Its parameters are those of a network or
// given by Load.
type Answer struct {
	pairing
	kept   kept // without a network if the parameters are loaded
	loaded bool
}

// NewAnswer makes the inference of m's Join on the parameters of net, or with
// net nil on those that Load gives.
func NewAnswer(net *Network, m Pairs) (*Answer, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	return &Answer{pairing: newPairing(m, m.links()[m.Embed.layers():]), kept: kept{net: net}}, nil
}

// Load packs parameters that are kept outside of a network: a copy of Join's
// segment.
func (a *Answer) Load(segment []float32) error {
	if len(segment) != a.m.Join.Len {
		return fmt.Errorf("MLP %s: %d parameters, the module has %d", a.m.Join.Name, len(segment), a.m.Join.Len)
	}
	a.pack(nil, segment)
	a.loaded = true
	return nil
}

// Apply computes y [rows, n, Join.Out()] from embedded items e [rows, n,
// Embed.Out()] and contexts c [rows, Context()].
func (a *Answer) Apply(rows, n int, e, c, y []float32) error {
	if err := needRows("MLP", a.m.Join.Name, rows*n, e, a.m.Embed.Out(), y, a.m.Join.Out()); err != nil {
		return err
	}
	if len(c) < rows*a.m.Context() {
		return fmt.Errorf("MLP %s: %d rows need %d floats of context, got %d", a.m.Join.Name, rows, rows*a.m.Context(), len(c))
	}
	if net := a.kept.net; net == nil && !a.loaded {
		return fmt.Errorf("MLP %s: applied before its parameters were loaded", a.m.Join.Name)
	} else if net != nil && !a.kept.fresh() {
		a.pack(nil, a.m.Join.Of(net.Params))
	}
	a.contexts(rows, c)
	a.answers(rows, n, e, y)
	return nil
}
