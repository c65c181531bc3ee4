package mini

import (
	"fmt"
	"math"

	"macpro/core"
	"macpro/core/episode"
)

// Train makes one step of gradient descent on the mean squared TD error plus
// the penalties.
func (l *Linear) Train(batch []*episode.Episode) (core.TrainStats, error) {
	var s core.TrainStats
	steps := 0
	l.grad = [size]float64{}
	for _, e := range batch {
		if err := l.check(e); err != nil {
			return s, err
		}
		steps += e.T
		l.unroll(e, func(delta, q, y float64) float64 {
			s.TDLoss += delta * delta
			s.TDAbs += math.Abs(delta)
			s.QTaken += q
			s.Target += y
			return 2 * delta
		})
	}
	n := float64(steps)
	s.TDLoss, s.TDAbs, s.QTaken, s.Target = s.TDLoss/n, s.TDAbs/n, s.QTaken/n, s.Target/n
	for i := range l.grad {
		l.grad[i] /= n
	}
	s.Penalty = l.penalize()
	s.Loss, s.Clip = s.TDLoss+s.Penalty, 1
	for _, g := range l.grad {
		s.GradNorm += g * g
	}
	s.GradNorm = math.Sqrt(s.GradNorm)
	if s.GradNorm > 1 {
		s.Clip = 1 / s.GradNorm
	}
	for i, g := range l.grad {
		l.online[i] -= float32(rate * s.Clip * g)
	}
	if l.Steps+1 == l.plugin.RefuseAt {
		return core.TrainStats{}, core.NotFinite("the gradient is NaN")
	}
	if l.Steps++; l.Steps == l.plugin.DivergeAt {
		s.Loss = math.NaN()
	}
	return s, nil
}

func (l *Linear) check(e *episode.Episode) error {
	spec := l.spec
	if l.tasks != nil {
		if e.Task < 0 || e.Task >= len(l.tasks) {
			return fmt.Errorf("mini-learner: an episode of task %d of %d", e.Task, len(l.tasks))
		}
		spec = l.tasks[e.Task]
	}
	if e.N != spec.Agents {
		return fmt.Errorf("mini-learner: an episode of %d agents, the task is %s with %d", e.N, spec.Task, spec.Agents)
	}
	return nil
}

// unroll walks through an episode and adds slope * dQ_tot to the gradient at
// every transition. slope gets the TD error, Q_tot and the target.
func (l *Linear) unroll(e *episode.Episode, slope func(delta, q, y float64) float64) {
	if rows := (e.T + 1) * e.N; cap(l.hidden) < rows {
		l.hidden = make([]float32, rows)
	}
	hidden := l.hidden[:(e.T+1)*e.N]
	for t := range e.T + 1 {
		for i := range e.N {
			var before float32
			if t > 0 {
				before = hidden[(t-1)*e.N+i]
			}
			hidden[t*e.N+i] = remember(before, e.Obs[(t*e.N+i)*ObsWidth:][:ObsWidth])
		}
	}
	for t := range e.T {
		q, y := 0.0, float64(e.Reward[t])
		for i := range e.N {
			row := t*e.N + i
			q += float64(value(l.online[:phiSize], l.online[phiSize:], e.Obs[row*ObsWidth:][:ObsWidth], hidden[row], int(e.Actions[row])))
			if t+1 < e.T || !e.Terminated {
				y += discount * l.best(e, row+e.N, hidden[row+e.N])
			}
		}
		g := slope(q-y, q, y)
		for i := range e.N {
			row := t*e.N + i
			l.backward(g, e.Obs[row*ObsWidth:][:ObsWidth], hidden[row], int(e.Actions[row]))
		}
	}
}

// best is the largest target value of an available action.
func (l *Linear) best(e *episode.Episode, row int, h float32) float64 {
	best := math.Inf(-1)
	for a := range Actions {
		if e.Avail[row*Actions+a] != 0 {
			best = max(best, float64(value(l.target[:phiSize], l.target[phiSize:], e.Obs[row*ObsWidth:][:ObsWidth], h, a)))
		}
	}
	return best
}

func (l *Linear) backward(g float64, obs []float32, h float32, a int) {
	at := phiSize + a*rowSize
	for j, x := range obs {
		l.grad[j] += g * float64(l.online[at+j]*x)
		l.grad[at+j] += g * float64(l.online[j]*x)
	}
	l.grad[at+ObsWidth] += g * float64(h)
}

// penalize adds the penalties' gradients and returns their sum.
func (l *Linear) penalize() float64 {
	sum := 0.0
	for _, p := range l.penalties {
		w, off := l.scope(p.Scope), 0
		if p.Scope == core.ScopeHead {
			off = phiSize
		}
		norm := 0.0
		for j, x := range w {
			d, weight := float64(x-p.Anchor[j]), 1.0
			if p.Importance != nil {
				weight = float64(p.Importance[j])
			}
			norm += weight * d * d
		}
		scale := 2 * p.Coef
		if p.L2 {
			norm = math.Sqrt(norm)
			scale = p.Coef / max(norm, 1e-12)
		}
		sum += p.Coef * norm
		for j, x := range w {
			weight := 1.0
			if p.Importance != nil {
				weight = float64(p.Importance[j])
			}
			l.grad[off+j] += scale * weight * float64(x-p.Anchor[j])
		}
	}
	return sum
}

// Importance is the mean over episodes of the squared gradient.
func (l *Linear) Importance(batch []*episode.Episode, src core.ImportanceSource) ([]float32, error) {
	if src != core.ImportanceTDLoss && src != core.ImportanceQGrad && src != core.ImportanceValues {
		return nil, fmt.Errorf("mini-learner: unknown importance %q (%s, %s, %s)", src, core.ImportanceTDLoss, core.ImportanceQGrad, core.ImportanceValues)
	}
	sum := make([]float32, size)
	for _, e := range batch {
		l.grad = [size]float64{}
		l.unroll(e, func(delta, _, _ float64) float64 {
			switch src {
			case core.ImportanceQGrad:
				return 1
			case core.ImportanceValues:
				return 0
			}
			return 2 * delta
		})
		if src == core.ImportanceValues {
			l.norms(e)
		}
		for i, g := range l.grad {
			g /= float64(e.T)
			if src == core.ImportanceValues {
				sum[i] += float32(math.Abs(g) / float64(len(batch)))
			} else {
				sum[i] += float32(g * g / float64(len(batch)))
			}
		}
	}
	return sum, nil
}

// norms adds the gradient of the squared norms of the values of available
// actions, the mean over agents, of an episode that was unrolled.
func (l *Linear) norms(e *episode.Episode) {
	for row := range e.T * e.N {
		obs, h := e.Obs[row*ObsWidth:][:ObsWidth], l.hidden[row]
		for a := range Actions {
			if e.Avail[row*Actions+a] != 0 {
				q := value(l.online[:phiSize], l.online[phiSize:], obs, h, a)
				l.backward(2*float64(q)/float64(e.N), obs, h, a)
			}
		}
	}
}
