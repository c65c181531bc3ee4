package nn

import (
	"fmt"
	"math"

	"macpro/core/nn/internal/kernel"
)

// Attention lets the owner of a row look at the items it holds: one query made
// from the row's own features attends to each set of items. With the own
// features u and the items x_j of a set,
//
//	q  = W_q u + b_q,  k_j = W_k x_j + b_k,  v_j = W_v x_j + b_v
//	f  = sum_j softmax_j(q.k_j / sqrt(Key)) v_j
//
// and the output is [W_o u + b_o; f of the first set; f of the second; ...]. A
// set in which nothing is looked at gives b_v. The tensors are query, own and,
// for each set, <set>_key and <set>_value, each with weight and bias.
type Attention struct {
	Segment
	Own, Key, Out int // widths of the own features, of queries and keys, of values
	Sets          []Set
}

// Attention plans a module.
func (l *Layout) Attention(name string, own, key, out int, sets ...Set) Attention {
	if own < 1 || key < 1 || out < 1 || len(sets) == 0 {
		l.fail("attention %q has widths %d, %d, %d and %d sets, all must be at least 1", name, own, key, out, len(sets))
		return Attention{}
	}
	tensors := append(linear("query", own, key), linear("own", own, out)...)
	for _, s := range sets {
		if s.Width < 1 || s.Seen < 0 || s.Seen > s.Width {
			l.fail("attention %q: items %q of width %d with %d features that show them", name, s.Name, s.Width, s.Seen)
			return Attention{}
		}
		tensors = append(append(tensors, linear(s.Name+"_key", s.Width, key)...), linear(s.Name+"_value", s.Width, out)...)
	}
	return Attention{l.Segment(name, tensors...), own, key, out, sets}
}

// linear is the weight and the bias of a layer.
func linear(name string, in, out int) []TensorSpec {
	return []TensorSpec{
		{Name: name + ".weight", Shape: []int{out, in}, Init: FanIn(in)},
		{Name: name + ".bias", Shape: []int{out}, Init: FanIn(in)},
	}
}

// Positions of the tensors; those of set s start at atSets + 4*s.
const (
	atQuery = iota
	atQueryBias
	atOwn
	atOwnBias
	atSets
)

// of returns tensor i of a segment's floats.
func (m Attention) of(seg []float32, i int) []float32 { return m.Tensors[i].Of(seg) }

// Width is the width of the output.
func (m Attention) Width() int { return (1 + len(m.Sets)) * m.Out }

// attending computes an attention. Neither keys nor values are ever formed: a
// query is carried over to the items' own space, p = W_k' q, where q.k_j and
// p.x_j differ by the same number for all j, and W_v is applied to the mean item.
type attending struct {
	m          Attention
	query, own kernel.Packed
	bias       [2][]float32 // of query and own
	q          []float32    // [rows, Key]
	sets       []setAttention
	scratch    kernel.Scratch
}

// setAttention is what it computes for one set.
type setAttention struct {
	n          int // items in a row
	key, value kernel.Packed
	bias       []float32 // of the value
	p          []float32 // [rows, Width] queries in the items' space, over sqrt(Key)
	a          []float32 // [rows, n] weights
	mean       []float32 // [rows, Width] weighted mean items
}

func newAttending(m Attention) attending {
	return attending{m: m, sets: make([]setAttention, len(m.Sets))}
}

func (o *attending) pack(seg []float32) {
	m := o.m
	m.pack(&o.query, true, m.Own, m.Key, m.of(seg, atQuery), m.Own)
	m.pack(&o.own, true, m.Own, m.Out, m.of(seg, atOwn), m.Own)
	o.bias[0] = append(o.bias[0][:0], m.of(seg, atQueryBias)...)
	o.bias[1] = append(o.bias[1][:0], m.of(seg, atOwnBias)...)
	for s := range o.sets {
		k, w, at := &o.sets[s], m.Sets[s].Width, atSets+4*s
		m.pack(&k.key, false, m.Key, w, m.of(seg, at), w)
		m.pack(&k.value, true, w, m.Out, m.of(seg, at+2), w)
		k.bias = append(k.bias[:0], m.of(seg, at+3)...)
	}
}

// scale is the factor on scores.
func (o *attending) scale() float32 { return float32(1 / math.Sqrt(float64(o.m.Key))) }

// start computes the queries and the own part of out [rows, m.Width()].
func (o *attending) start(rows int, own, out []float32) {
	o.q = room(o.q, rows*o.m.Key)
	kernel.GemmBiasAct(rows, own, o.m.Own, &o.query, o.bias[0], ActNone, o.q, o.m.Key, &o.scratch)
	kernel.GemmBiasAct(rows, own, o.m.Own, &o.own, o.bias[1], ActNone, out, o.m.Width(), &o.scratch)
}

// look computes the part of out that belongs to set s, with n items in a row.
func (o *attending) look(s, rows, n int, items, out []float32) {
	k, w := &o.sets[s], o.m.Sets[s].Width
	k.n, k.p, k.a, k.mean = n, room(k.p, rows*w), room(k.a, rows*n), room(k.mean, rows*w)
	kernel.GemmPacked(rows, o.q, o.m.Key, &k.key, false, k.p, w, &o.scratch)
	kernel.Scale(k.p, o.scale())
	dotItems(rows, n, w, k.p, items, k.a)
	o.hide(s, items, unseenScore)
	kernel.SoftmaxRows(rows, n, k.a, n)
	o.hide(s, items, 0)
	clear(k.mean)
	mixItems(rows, n, w, k.a, items, k.mean)
	kernel.GemmBiasAct(rows, k.mean, w, &k.value, k.bias, ActNone, out[(1+s)*o.m.Out:], o.m.Width(), &o.scratch)
}

// unseenScore is the score of an item that is not there: its weight is zero
// beside any other.
const unseenScore = -1e30

// hide gives the items of set s that are not there a score or weight.
func (o *attending) hide(s int, items []float32, to float32) {
	set := o.m.Sets[s]
	if set.Seen == 0 {
		return
	}
	for i := range o.sets[s].a {
		there := false
		for _, x := range items[i*set.Width : i*set.Width+set.Seen] {
			there = there || x != 0
		}
		if !there {
			o.sets[s].a[i] = to
		}
	}
}

// Look applies an Attention to rows without a graph.
type Look struct {
	attending
	kept kept
}

// NewLook makes the inference of m on the parameters of net.
func NewLook(net *Network, m Attention) *Look {
	return &Look{attending: newAttending(m), kept: kept{net: net}}
}

// Apply computes out [rows, m.Width()] from the own features [rows, m.Own] and
// the items of each set [rows, n, Width].
func (l *Look) Apply(rows int, own []float32, items [][]float32, out []float32) error {
	if err := needRows("attention", l.m.Name, rows, own, l.m.Own, out, l.m.Width()); err != nil {
		return err
	}
	if len(items) != len(l.m.Sets) {
		return fmt.Errorf("attention %s: %d sets of items, want %d", l.m.Name, len(items), len(l.m.Sets))
	}
	if rows == 0 {
		return nil
	}
	if !l.kept.fresh() {
		l.pack(l.m.Of(l.kept.net.Params))
	}
	l.start(rows, own, out)
	for s, x := range items {
		w := l.m.Sets[s].Width
		if len(x) == 0 || len(x)%(rows*w) != 0 {
			return fmt.Errorf("attention %s: %d floats of %s items in %d rows, want a multiple of %d", l.m.Name, len(x), l.m.Sets[s].Name, rows, rows*w)
		}
		l.look(s, rows, len(x)/(rows*w), x, out)
	}
	return nil
}
