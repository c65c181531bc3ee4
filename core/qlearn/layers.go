package qlearn

import (
	"fmt"
	"slices"

	"macpro/core"
	"macpro/core/names"
	"macpro/core/nn"
)

var _ core.WeightEditor = (*Learner)(nil)

// Layers lists the layers of the agent network; see core.WeightEditor.
func (l *Learner) Layers() []core.Layer { return l.agent.layers() }

func (l *Learner) layer(name string) (core.Layer, error) {
	var known []string
	for _, x := range l.agent.layers() {
		if x.Name == name {
			return x, nil
		}
		known = append(known, x.Name)
	}
	return core.Layer{}, fmt.Errorf("learner: %w", names.Unknown("layer", name, known))
}

// single is layer i of a stack, counted from 0, as a module of its own.
func single(m nn.MLP, i int) nn.MLP {
	w, b := m.Tensors[2*i], m.Tensors[2*i+1]
	at := m.Offset + w.Offset
	w.Name, b.Name, b.Offset, w.Offset = "fc1.weight", "fc1.bias", b.Offset-w.Offset, 0
	last := nn.ActReLU
	if i == len(m.Widths)-2 {
		last = m.Last
	}
	return nn.MLP{
		Segment: nn.Segment{Name: layerName(m, i), Offset: at, Len: w.Len() + b.Len(), Tensors: []nn.TensorSpec{w, b}},
		Widths:  m.Widths[i : i+2], Last: last,
	}
}

func layerName(m nn.MLP, i int) string { return fmt.Sprintf("%s.fc%d", m.Name, i+1) }

// dense lists the first n layers of a stack. The units of the last of them are
// read by the weights of out.
func dense(m nn.MLP, n int, out ...core.Span) []core.Layer {
	var all []core.Layer
	for i := range n {
		w, b := m.Tensors[2*i], m.Tensors[2*i+1]
		in := m.Widths[i]
		x := core.Layer{Name: layerName(m, i), Width: m.Widths[i+1], In: []core.Span{
			{Offset: m.Offset + w.Offset, Unit: in, Stride: 1, Count: in},
			{Offset: m.Offset + b.Offset, Unit: 1, Stride: 1, Count: 1},
		}, Out: out}
		if i < n-1 {
			x.Out = []core.Span{readBy(m.Offset+m.Tensors[2*i+2].Offset, m.Widths[i+1], m.Widths[i+2], 0)}
		}
		all = append(all, x)
	}
	return all
}

// readBy are the weights of a matrix [rows, width] at offset that read the units
// whose first is column from.
func readBy(offset, width, rows, from int) core.Span {
	return core.Span{Offset: offset + from, Unit: 1, Stride: width, Count: rows}
}

// recurrent is the layer of a GRU's hidden units. Others read them besides itself.
func recurrent(m nn.GRU, out ...core.Span) core.Layer {
	x := core.Layer{Name: m.Name, Width: m.Hidden}
	for i, width := range []int{m.In, m.Hidden, 1, 1} { // weight_ih, weight_hh, bias_ih, bias_hh
		for gate := range 3 {
			at := m.Offset + m.Tensors[i].Offset + gate*m.Hidden*width
			x.In = append(x.In, core.Span{Offset: at, Unit: width, Stride: 1, Count: width})
		}
	}
	x.Out = append(out, readBy(m.Offset+m.Tensors[1].Offset, m.Hidden, 3*m.Hidden, 0))
	return x
}

// reads are the weights of a stack's first layer that read the columns from on.
func reads(m nn.MLP, from int) core.Span {
	return readBy(m.Offset+m.Tensors[0].Offset, m.Widths[0], m.Widths[1], from)
}

// readsGRU are the weights of a GRU that read its input.
func readsGRU(m nn.GRU) core.Span { return readBy(m.Offset+m.Tensors[0].Offset, m.In, 3*m.Hidden, 0) }

func (r *rnn) layers() []core.Layer {
	return append(dense(r.mlp, len(r.mlp.Widths)-1, readsGRU(r.gru)), recurrent(r.gru, reads(r.layer, 0)))
}

func (a *attentive) layers() []core.Layer {
	E := a.cfg.Embed
	return slices.Concat(
		[]core.Layer{{Name: a.attention.Name, Width: a.attention.Width(), Out: []core.Span{reads(a.mlp, 0)}}},
		dense(a.mlp, len(a.mlp.Widths)-1, readsGRU(a.gru)),
		[]core.Layer{recurrent(a.gru, reads(a.move, 0), reads(a.attack, E))},
		dense(a.enemy, len(a.enemy.Widths)-1, reads(a.attack, 0)),
		hidden(a.move), hidden(a.attack),
	)
}

// hidden are the layers of a stack but its last one.
func hidden(m nn.MLP) []core.Layer {
	n := len(m.Widths) - 2
	return dense(m, n, readBy(m.Offset+m.Tensors[2*n].Offset, m.Widths[n], m.Widths[n+1], 0))
}
