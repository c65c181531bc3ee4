package nn

import "macpro/core/nn/internal/kernel"

// keeper is an operation with the inputs rows and segment that can keep the
// weights of a network packed.
type keeper interface{ keepWeights(net *Network) }

// kept tells whether something made from parameters is still that of their
// network's version. The zero value, of no network, never is.
type kept struct {
	net     *Network
	made    bool
	version uint64
}

// fresh is the question, and notes that it will be made now if it is not.
func (k *kept) fresh() bool {
	if k.net == nil {
		return false
	}
	old := k.made && k.version == k.net.Version()
	k.made, k.version = true, k.net.Version()
	return old
}

// weightsOf holds the weights of a stack, packed for its forward pass.
type weightsOf struct {
	packed []kernel.Packed
	bias   [][]float32

	scratch kernel.Scratch
}

func (w *weightsOf) pack(m MLP, seg []float32) {
	if w.packed == nil {
		w.packed, w.bias = make([]kernel.Packed, m.layers()), make([][]float32, m.layers())
	}
	for i := range w.packed {
		from, to := m.Widths[i], m.Widths[i+1]
		m.pack(&w.packed[i], true, from, to, m.weight(seg, i), from)
		w.bias[i] = append(w.bias[i][:0], m.bias(seg, i)...)
	}
}

// layer computes dst = act(src W' + b) for layer i.
func (w *weightsOf) layer(i, rows int, src []float32, act Act, dst []float32) {
	p := &w.packed[i]
	kernel.GemmBiasAct(rows, src, p.K, p, w.bias[i], act, dst, p.N, &w.scratch)
}

// room returns a slice of n floats with undefined contents, reusing s.
func room(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}
