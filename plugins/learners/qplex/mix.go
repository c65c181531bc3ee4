package qplex

import (
	"fmt"

	"macpro/core/nn"
)

// tiny keeps weights positive where a network gives exactly zero.
const tiny = 1e-10

// mix is QPLEX's duplex combination of the agents' values. Its inputs, one row
// per transition, are
//
//	q [n], V [n]                  values of the taken actions, largest values
//	w [n], v [n]                  only if weighted, w not negative
//	key [1], agent [n], action [n]  for each kernel, key not negative
//
// and its output is
//
//	sum_i q~_i + sum_i (lambda_i - 1) A_i
//	q~_i = w_i q_i + v_i,  A_i = stop_gradient(w_i (q_i - V_i))
//	lambda_i = sum_kernels key sigmoid(agent_i) sigmoid(action_i)
//
// with 1e-10 added to w and key to keep them from zero. Without minusOne the
// advantage is weighted by lambda_i alone; unweighted means w = 1, v = 0. V gets
// no gradient.
type mix struct {
	n, kernels         int
	weighted, minusOne bool

	agent, action [][]float32 // [kernels][rows, n]: their sigmoids
	lambda        []float32   // [rows, n]
}

func (m *mix) Name() string         { return "QPLEX mixing network" }
func (m *mix) NeedsGrad(i int) bool { return i != 1 }

// first is the number of inputs before those of the kernels.
func (m *mix) first() int {
	if m.weighted {
		return 4
	}
	return 2
}

func (m *mix) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	var want []int
	for range m.first() {
		want = append(want, m.n)
	}
	for range m.kernels {
		want = append(want, 1, m.n, m.n)
	}
	if len(width) != len(want) {
		return nil, 0, fmt.Errorf("want inputs of widths %v, got %v", want, width)
	}
	for i, w := range want {
		if width[i] != w || ext[i] != ext[0] {
			return nil, 0, fmt.Errorf("want inputs of widths %v with equal rows, got %v", want, width)
		}
	}
	size := ext[0].Cap * m.n
	m.lambda = make([]float32, size)
	for range m.kernels {
		m.agent, m.action = append(m.agent, make([]float32, size)), append(m.action, make([]float32, size))
	}
	return ext[0], 1, nil
}

func (m *mix) Forward(in []nn.Mat, out nn.Mat) error {
	m.weigh(in[m.first():], out.Rows)
	for k := range out.Rows {
		q, top, lambda, sum := in[0].Row(k), in[1].Row(k), m.lambda[k*m.n:(k+1)*m.n], float32(0)
		for i := range q {
			w, v := m.scale(in, k, i)
			l := lambda[i]
			if m.minusOne {
				l--
			}
			sum += w*q[i] + v + l*w*(q[i]-top[i])
		}
		out.Data[k] = sum
	}
	return nil
}

// scale is the positive weight and the offset of agent i's value in row k.
func (m *mix) scale(in []nn.Mat, k, i int) (w, v float32) {
	if !m.weighted {
		return 1, 0
	}
	return in[2].Row(k)[i] + tiny, in[3].Row(k)[i]
}

// weigh computes lambda of all rows from the kernels' inputs and keeps the
// sigmoids.
func (m *mix) weigh(in []nn.Mat, rows int) {
	lambda := m.lambda[:rows*m.n]
	clear(lambda)
	for j := range m.kernels {
		key, agent, action := in[3*j].Data, m.agent[j][:rows*m.n], m.action[j][:rows*m.n]
		nn.Sigmoid(agent, in[3*j+1].Data)
		nn.Sigmoid(action, in[3*j+2].Data)
		for r := range lambda {
			lambda[r] += (key[r/m.n] + tiny) * agent[r] * action[r]
		}
	}
}

func (m *mix) Backward(in []nn.Mat, _, dOut nn.Mat, dIn []nn.Mat) error {
	for k, g := range dOut.Data {
		q, dq := in[0].Row(k), dIn[0].Row(k)
		for i := range q {
			w, _ := m.scale(in, k, i)
			dq[i] = g * w
			if m.weighted {
				dIn[2].Row(k)[i] = g * q[i]
				dIn[3].Row(k)[i] = g
			}
		}
	}
	for j := range m.kernels {
		m.kernelGrad(in, dIn, j, dOut)
	}
	return nil
}

func (m *mix) kernelGrad(in, dIn []nn.Mat, j int, dOut nn.Mat) {
	at := m.first() + 3*j
	for k, g := range dOut.Data {
		key, q, top, lo := in[at].Data[k]+tiny, in[0].Row(k), in[1].Row(k), k*m.n
		agent, action := m.agent[j][lo:lo+m.n], m.action[j][lo:lo+m.n]
		dKey, dAgent, dAction := float32(0), dIn[at+1].Row(k), dIn[at+2].Row(k)
		for i := range q {
			w, _ := m.scale(in, k, i)
			both := g * w * (q[i] - top[i]) * agent[i] * action[i]
			dKey += both
			dAgent[i] = both * key * (1 - agent[i])
			dAction[i] = both * key * (1 - action[i])
		}
		dIn[at].Data[k] = dKey
	}
}
