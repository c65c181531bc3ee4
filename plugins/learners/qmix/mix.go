package qmix

import (
	"fmt"

	"macpro/core/nn"
)

// mix is the state-dependent two-layer network over the agents' values. Its
// inputs, one row per transition, are
//
//	q [n], W1 [n,E], b1 [E], wf [E], v [1]
//
// with W1 and wf not negative, and its output is elu(q W1 + b1) . wf + v. If W1
// is shared it has a single row [E], which is that of every agent.
type mix struct {
	n, embed int
	shared   bool
	hidden   []float32 // [rows, E], the layer after its ELU
}

func (m *mix) Name() string       { return "QMIX mixing network" }
func (m *mix) NeedsGrad(int) bool { return true }

func (m *mix) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	want := []int{m.n, m.n * m.embed, m.embed, m.embed, 1}
	if m.shared {
		want[1] = m.embed
	}
	if len(width) != len(want) {
		return nil, 0, fmt.Errorf("want inputs q, w1, b1, wf, v of widths %v, got %v", want, width)
	}
	for i, w := range want {
		if width[i] != w || ext[i] != ext[0] {
			return nil, 0, fmt.Errorf("want inputs q, w1, b1, wf, v of widths %v with equal rows, got %v", want, width)
		}
	}
	m.hidden = make([]float32, ext[0].Cap*m.embed)
	return ext[0], 1, nil
}

func (m *mix) Forward(in []nn.Mat, out nn.Mat) error {
	hidden := m.hidden[:out.Rows*m.embed]
	copy(hidden, in[2].Data)
	for k := range out.Rows {
		w1, z := in[1].Row(k), m.row(k)
		for i, q := range in[0].Row(k) {
			for e, w := range m.of(w1, i) {
				z[e] += q * w
			}
		}
	}
	nn.ELU(hidden, hidden)
	for k := range out.Rows {
		sum, wf := in[4].Data[k], in[3].Row(k)
		for e, y := range m.row(k) {
			sum += y * wf[e]
		}
		out.Data[k] = sum
	}
	return nil
}

func (m *mix) Backward(in []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	copy(dIn[4].Data, dOut.Data)
	for k, g := range dOut.Data {
		wf, dwf, dh := in[3].Row(k), dIn[3].Row(k), dIn[2].Row(k)
		for e, y := range m.row(k) {
			dwf[e], dh[e] = g*y, g*wf[e]
		}
	}
	dz := dIn[2].Data // of the sum before the ELU, which is the gradient of b1 too
	nn.ELUGrad(dz, m.hidden[:len(dz)], dz)
	clear(dIn[1].Data)
	for k := range dOut.Rows {
		w1, dw1, dq, dz := in[1].Row(k), dIn[1].Row(k), dIn[0].Row(k), dIn[2].Row(k)
		for i, q := range in[0].Row(k) {
			w, dw, sum := m.of(w1, i), m.of(dw1, i), float32(0)
			for e, d := range dz {
				dw[e] += d * q
				sum += d * w[e]
			}
			dq[i] = sum
		}
	}
	return nil
}

// of is agent i's row of W1 in one row of an input.
func (m *mix) of(w1 []float32, i int) []float32 {
	if m.shared {
		return w1
	}
	return w1[i*m.embed : (i+1)*m.embed]
}

func (m *mix) row(k int) []float32 { return m.hidden[k*m.embed : (k+1)*m.embed] }
